// Texts as bytes, as in Go, usually UTF-8. A byte that is not valid UTF-8 is stored as a lone surrogate: U+DC00 plus
// the byte.

const escaped = 0xdc00;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** A lone surrogate that is no escaped byte becomes this character, and the decoder returns it for invalid bytes. */
const replacement = 0xfffd;
const replacementText = '\ufffd';

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
  return text.isWellFormed() ? encoder.encode(text) : encodeBroken(text);
}

/** The bits that distinguish first and second surrogates from each other and from other code units. */
const surrogateBits = 0xfc00;

/** Returns whether the units at this index and after it are one character. */
function isPairAt(text: string, at: number): boolean {
  return (text.charCodeAt(at) & surrogateBits) === 0xd800 && (text.charCodeAt(at + 1) & surrogateBits) === 0xdc00;
}

/** The encoder of the platform is not called for parts, because bytes and characters may alternate. */
function encodeBroken(text: string): Uint8Array {
  const bytes = new Uint8Array(byteLength(text));
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const byte = unit < 0x80 ? unit : escapedByte(unit);
    if (byte !== undefined) {
      bytes[length] = byte;
      length += 1;
    } else if ((unit & 0xf800) !== 0xd800) {
      length = encodeCode(unit, bytes, length);
    } else if (isPairAt(text, at)) {
      length = encodeCode(0x10000 + ((unit & 0x3ff) << 10) + (text.charCodeAt(at + 1) & 0x3ff), bytes, length);
      at += 1;
    } else {
      length = encodeCode(replacement, bytes, length);
    }
  }
  return bytes;
}

/** The first bytes of characters of two, three and four bytes. */
const leads = [0, 0, 0xc0, 0xe0, 0xf0];

/** Writes a character of several bytes. Returns the offset after it. */
function encodeCode(code: number, bytes: Uint8Array, from: number): number {
  const size = sizeOfCode(code);
  let rest = code;
  for (let at = from + size - 1; at > from; at -= 1) {
    bytes[at] = 0x80 | (rest & 0x3f);
    rest >>= 6;
  }
  bytes[from] = (leads[size] ?? 0) | rest;
  return from + size;
}

/** Below this length, the decoder of the platform takes longer. */
const shortBytes = 64;

export function fromBytes(bytes: Uint8Array): string {
  if (bytes.length < shortBytes) {
    return decodeBroken(bytes);
  }
  // An error of a strict decoder takes as long as thousands of bytes.
  const text = decoder.decode(bytes);
  return text.includes(replacementText) ? decodeBroken(bytes) : text;
}

/** The code units that are converted to a text at once. */
const unitsPerPart = 4096;

function decodeBroken(bytes: Uint8Array): string {
  const parts: string[] = [];
  let units: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const code = codePointAt(bytes, at);
    if (code === undefined) {
      units.push(escaped + (bytes[at] ?? 0));
      at += 1;
    } else if (code > 0xffff) {
      units.push(0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
      at += 4;
    } else {
      units.push(code);
      at += sizeOfCode(code);
    }
    if (units.length >= unitsPerPart) {
      parts.push(String.fromCharCode(...units));
      units = [];
    }
  }
  return parts.join('') + String.fromCharCode(...units);
}

/** The bytes of a character in UTF-8. */
function sizeOfCode(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** Returns undefined if the bytes at this offset are not a character in UTF-8. */
function codePointAt(bytes: Uint8Array, at: number): number | undefined {
  const first = bytes[at] ?? 0;
  if (first < 0x80) {
    return first;
  }
  if (first < 0xc0 || first > 0xf7) {
    return undefined;
  }
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  let code = first & (0x7f >> size);
  for (let next = at + 1; next < at + size; next += 1) {
    const byte = bytes[next] ?? 0;
    if (byte < 0x80 || byte > 0xbf) {
      return undefined;
    }
    code = (code << 6) | (byte & 0x3f);
  }
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter && sizeOfCode(code) === size ? code : undefined;
}

export function byteLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      length += 1;
    } else if (isPairAt(text, at)) {
      length += 4;
      at += 1;
    } else {
      length += escapedByte(code) === undefined ? sizeOfCode(code) : 1;
    }
  }
  return length;
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

/** The number of characters. An invalid byte is one. */
export function countRunes(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if (isPairAt(text, at)) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

/** Returns the first characters of the text. */
export function firstRunes(text: string, count: number): string {
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left -= 1) {
    end += isPairAt(text, end) ? 2 : 1;
  }
  return text.slice(0, end);
}

/** Returns whether the texts have the same bytes, without a copy if they are UTF-8. */
export function sameBytes(a: string, b: string): boolean {
  return a === b || (!(a.isWellFormed() && b.isWellFormed()) && compareEncoded(toBytes(a), toBytes(b)) === 0);
}

/** Compares by bytes, which is also the order of the characters. */
export function compareBytes(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a.isWellFormed() && b.isWellFormed() ? compareUnits(a, b) : compareEncoded(toBytes(a), toBytes(b));
}

/** Sorts by bytes. A text that is not UTF-8 is encoded once, and not for each comparison. */
export function sortedByBytes<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  if (items.every(item => textOf(item).isWellFormed())) {
    return items.toSorted((a, b) => compareUnits(textOf(a), textOf(b)));
  }
  return items
    .map(item => ({ item, bytes: toBytes(textOf(item)) }))
    .sort((a, b) => compareEncoded(a.bytes, b.bytes))
    .map(({ item }) => item);
}

/** Surrogates are above all other code units, as their characters are above all others in UTF-8. */
function compareUnits(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) {
      return rankOf(left) - rankOf(right);
    }
  }
  return a.length - b.length;
}

const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

function compareEncoded(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return a.length - b.length;
}
