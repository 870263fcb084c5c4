// Texts as bytes, as in Go, usually UTF-8. A byte that is not valid UTF-8 is stored as a lone surrogate: U+DC00 plus
// the byte.

const escaped = 0xdc00;
const encoder = new TextEncoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) {
      return false;
    }
  }
  return true;
}

/** Returns the byte of this code unit, or undefined for a character. */
export function escapedByte(code: number): number | undefined {
  return code >= escaped + 0x80 && code <= escaped + 0xff ? code - escaped : undefined;
}

export function toBytes(text: string): Uint8Array {
  if (text.isWellFormed()) {
    return encoder.encode(text);
  }
  const parts: number[] = [];
  for (const character of text) {
    const byte = escapedByte(character.codePointAt(0) ?? 0);
    parts.push(...(byte === undefined ? encoder.encode(character) : [byte]));
  }
  return Uint8Array.from(parts);
}

export function fromBytes(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return fromBrokenBytes(bytes);
  }
}

function fromBrokenBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    parts.push(character?.text ?? String.fromCharCode(escaped + (bytes[at] ?? 0)));
    at += character?.length ?? 1;
  }
  return parts.join('');
}

function characterAt(bytes: Uint8Array, at: number): { readonly text: string; readonly length: number } | undefined {
  const first = bytes[at] ?? 0;
  if (first < 0x80) {
    return { text: String.fromCharCode(first), length: 1 };
  }
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  try {
    const text = strictDecoder.decode(bytes.subarray(at, at + length));
    return [...text].length === 1 ? { text, length } : undefined;
  } catch {
    return undefined;
  }
}

export function byteLength(text: string): number {
  return isAscii(text) ? text.length : toBytes(text).length;
}

/** Slices by byte offsets. The offsets must be inside the text. */
export function sliceBytes(text: string, from: number, to: number): string {
  return isAscii(text) ? text.slice(from, to) : fromBytes(toBytes(text).subarray(from, to));
}

export function byteAt(text: string, at: number): number {
  return isAscii(text) ? text.charCodeAt(at) : (toBytes(text)[at] ?? 0);
}

/** Bytes at the boundary of two joined texts may form a character. */
export function normalized(text: string): string {
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** Returns the characters. An invalid byte becomes U+FFFD. */
export function runesOf(text: string): readonly number[] {
  const runes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    runes.push(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
  }
  return runes;
}

/** Compares by bytes, which is also the order of the characters. */
export function compareBytes(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  if (isAscii(a) && isAscii(b)) {
    return a < b ? -1 : 1;
  }
  const [left, right] = [toBytes(a), toBytes(b)];
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
