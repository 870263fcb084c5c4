// PEM blocks (RFC 7468).

/** Returns the first block of a text with its label lines, or `undefined` if there is none. */
export function firstPemBlock(text: string): string | undefined {
  return /-----BEGIN ([A-Z0-9 ]+)-----\s[A-Za-z0-9+/=\s]+-----END \1-----/.exec(text)?.[0].concat('\n');
}
