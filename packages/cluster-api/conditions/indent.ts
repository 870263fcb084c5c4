// Embeds a message in a bulleted message.

/** The text after `* X:` for this message: on the same line, or as an indented list. */
export function indentMessage(message: string): string {
  const lines = message.split('\n');
  if (lines.length === 1 && !isBullet(message)) {
    return ` ${message}`;
  }
  const bulletPrefix = lines.every(isBullet) ? '  ' : '    ';
  return lines.map(line => `\n${isBullet(line) ? bulletPrefix : '  * '}${line}`).join('');
}

/** As upstream, an asterisk before white space anywhere in the line makes it a bullet. */
function isBullet(line: string): boolean {
  return /\*[\t\f\r ]/.test(line);
}
