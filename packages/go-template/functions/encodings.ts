// base64 and base32. https://masterminds.github.io/sprig/encoding.html
import { fromBytes, toBytes } from '../bytes.ts';
import { define, type FunctionTable } from '../call.ts';
import type { RenderMeter } from '../limits.ts';
import { TextBuilder } from '../text-builder.ts';

const alphabet64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

interface Encoding {
  readonly alphabet: string;
  /** The number of bits per character. */
  readonly bits: number;
  /** The number of characters per padded group. */
  readonly group: number;
}

const base64: Encoding = { alphabet: alphabet64, bits: 6, group: 4 };
const base32: Encoding = { alphabet: alphabet32, bits: 5, group: 8 };

function encode(bytes: Uint8Array, { alphabet, bits, group }: Encoding): string {
  const made = new TextBuilder();
  const add = (value: number): void => made.add(alphabet[value & (2 ** bits - 1)] ?? '');
  let held = 0;
  let count = 0;
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
  const text = made.finish();
  return text.padEnd(Math.ceil(text.length / group) * group, '=');
}

function decode(text: string, { alphabet, bits }: Encoding): Uint8Array {
  const bytes: number[] = [];
  let held = 0;
  let count = 0;
  for (const character of text.replaceAll(/[\r\n=]/g, '')) {
    held = ((held << bits) | alphabet.indexOf(character)) & 0xffff;
    count += bits;
    if (count >= 8) {
      count -= 8;
      bytes.push((held >> count) & 0xff);
    }
  }
  return Uint8Array.from(bytes);
}

const isLineBreak = (character: string | undefined): boolean => character === '\r' || character === '\n';

/** Returns the offset of the first error according to Go, or undefined if there is none. */
function problemAt(text: string, encoding: Encoding): number | undefined {
  let inGroup = 0;
  let at = -1;
  for (const character of text) {
    at += 1;
    if (isLineBreak(character)) {
      continue;
    }
    if (character === '=') {
      return problemOfPadding(text, at, { ...encoding, inGroup });
    }
    if (!encoding.alphabet.includes(character)) {
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
