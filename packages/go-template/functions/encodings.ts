// base64 and base32. https://masterminds.github.io/sprig/encoding.html
import { fromBytes, toBytes } from '../bytes.ts';
import { define, type FunctionTable } from '../call.ts';
import type { RenderMeter } from '../limits.ts';

const alphabet64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

interface Encoding {
  /** The characters by their numbers. */
  readonly characters: Uint8Array;
  /** The numbers of ASCII characters, or `unknown`. */
  readonly numbers: Uint8Array;
  /** The number of bits per character. */
  readonly bits: number;
  /** The number of characters per padded group. */
  readonly group: number;
}

const unknown = 0xff;
const padding = 0x3d;

function toEncoding(alphabet: string, bits: number, group: number): Encoding {
  const characters = toBytes(alphabet);
  const numbers = new Uint8Array(0x80).fill(unknown);
  for (const [number, character] of characters.entries()) {
    numbers[character] = number;
  }
  return { characters, numbers, bits, group };
}

const base64 = toEncoding(alphabet64, 6, 4);
const base32 = toEncoding(alphabet32, 5, 8);

function encode(bytes: Uint8Array, { characters, bits, group }: Encoding): string {
  const size = Math.ceil((bytes.length * 8) / bits);
  const made = new Uint8Array(Math.ceil(size / group) * group).fill(padding);
  const mask = 2 ** bits - 1;
  let length = 0;
  let held = 0;
  let count = 0;
  const add = (value: number): void => {
    made[length] = characters[value & mask] ?? padding;
    length += 1;
  };
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    count += 8;
    for (; count >= bits; count -= bits) {
      add(held >> (count - bits));
    }
  }
  if (count > 0) {
    add(held << (bits - count));
  }
  return fromBytes(made);
}

/** Line breaks and padding are ignored. The text was checked before. */
function decode(text: string, { numbers, bits }: Encoding): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * bits) / 8));
  let length = 0;
  let held = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const number = numbers[text.charCodeAt(at)] ?? unknown;
    if (number === unknown) {
      continue;
    }
    held = ((held << bits) | number) & 0xffff;
    count += bits;
    if (count >= 8) {
      count -= 8;
      bytes[length] = (held >> count) & 0xff;
      length += 1;
    }
  }
  return bytes.subarray(0, length);
}

const isLineBreak = (character: string | undefined): boolean => character === '\r' || character === '\n';

/** Returns the offset of the first error according to Go, or undefined if there is none. */
function problemAt(text: string, encoding: Encoding): number | undefined {
  let inGroup = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (isLineBreak(text[at])) {
      continue;
    }
    const code = text.charCodeAt(at);
    if (code === padding) {
      return problemOfPadding(text, at, { ...encoding, inGroup });
    }
    if ((encoding.numbers[code] ?? unknown) === unknown) {
      return at;
    }
    inGroup = (inGroup + 1) % encoding.group;
  }
  return inGroup === 0 ? undefined : text.length - inGroup;
}

/** Padding completes a group. It is allowed only at the end of a byte and at the end of the text. */
function problemOfPadding(
  text: string,
  from: number,
  { bits, group, inGroup }: Encoding & { readonly inGroup: number },
): number | undefined {
  if (inGroup === 0 || (inGroup * bits) % 8 >= bits) {
    return from;
  }
  let at = from;
  for (let missing = group - inGroup; missing > 0; at += 1) {
    if (at >= text.length) {
      return text.length;
    }
    if (text[at] !== '=' && !isLineBreak(text[at])) {
      return at - 1;
    }
    missing -= text[at] === '=' ? 1 : 0;
  }
  while (isLineBreak(text[at])) {
    at += 1;
  }
  return at < text.length ? at : undefined;
}

/** Returns the decoded bytes, or undefined if the text is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  return problemAt(text, base64) === undefined ? decode(text, base64) : undefined;
}

function decodedText(
  text: string,
  encoding: Encoding,
  { name, meter }: { readonly name: string; readonly meter: RenderMeter },
): string {
  meter.text(text.length * 4);
  const problem = problemAt(text, encoding);
  return problem === undefined ? fromBytes(decode(text, encoding)) : `illegal ${name} data at input byte ${problem}`;
}

export const encodingFunctions: FunctionTable = {
  b64enc: define(['string'], ([text], meter) => encodedText(text, base64, meter)),
  b64dec: define(['string'], ([text], meter) => decodedText(text, base64, { name: 'base64', meter })),
  b32enc: define(['string'], ([text], meter) => encodedText(text, base32, meter)),
  b32dec: define(['string'], ([text], meter) => decodedText(text, base32, { name: 'base32', meter })),
};

function encodedText(text: string, encoding: Encoding, meter: RenderMeter): string {
  meter.text(text.length * 4);
  return encode(toBytes(text), encoding);
}
