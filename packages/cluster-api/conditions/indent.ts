// Inserts a message into a bulleted message.

/** Returns the text after `* X:` for this message: on the same line, or as an indented list. */
export function indentMessage(message: string): string {
  const lines = message.split('\n');
  if (lines.length === 1 && !isBullet(message)) {
    return ` ${message}`;
  }
  const bulletPrefix = lines.every(isBullet) ? '  ' : '    ';
  return lines.map(line => `\n${isBullet(line) ? bulletPrefix : '  * '}${line}`).join('');
}

/** As in upstream, an asterisk before white space anywhere in the line makes the line a bullet. */
function isBullet(line: string): boolean {
  return /\*[\t\f\r ]/.test(line);
}
