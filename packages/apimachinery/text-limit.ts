// Limits texts of unknown length, for example those of other servers, before they are stored or logged.

/**
 * Returns the text. If it has more than `longest` UTF-16 units, returns its beginning and the number of units that were
 * cut. A character is never split.
 */
export function toLimitedText(text: string, longest: number): string {
  if (text.length <= longest) {
    return text;
  }
  const last = text.charCodeAt(longest - 1);
  const kept = last >= firstHighSurrogate && last <= lastHighSurrogate ? longest - 1 : longest;
  return `${text.slice(0, kept)}… (${text.length - kept} more)`;
}

const firstHighSurrogate = 0xd800;
const lastHighSurrogate = 0xdbff;
