// Reads the structure of DER (X.690) for size limits. No value is interpreted, and no text is quoted.

/** One element. `start` and `end` are the offsets of its content. */
export interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** The tags of X.690 that keys and certificates use. */
export const tags = { integer: 0x02, objectIdentifier: 0x06, version: 0xa0 } as const;

/** The maximum number of bytes of a length. Longer lengths exceed every text that this module reads. */
const maxLengthBytes = 4;

/** Returns the elements between two offsets. Ends before the first incomplete element. */
export function elementsBetween(bytes: Uint8Array, start: number, end: number): readonly Element[] {
  const found: Element[] = [];
  for (let at = start; at < end; ) {
    const element = elementAt(bytes, at, end);
    if (element === undefined) {
      break;
    }
    found.push(element);
    at = element.end;
  }
  return found;
}

/** Returns the nested elements. Returns none for `undefined`. */
export function childrenOf(bytes: Uint8Array, parent: Element | undefined): readonly Element[] {
  return parent === undefined ? [] : elementsBetween(bytes, parent.start, parent.end);
}

/** Returns the bits of a positive integer, without leading zeros. */
export function bitsOf(bytes: Uint8Array, { start, end }: Element): number {
  const content = bytes.subarray(start, end);
  const first = content.findIndex(byte => byte !== 0);
  return first < 0 ? 0 : (content.length - first - 1) * 8 + (32 - Math.clz32(content[first] ?? 0));
}

function elementAt(bytes: Uint8Array, at: number, end: number): Element | undefined {
  const tag = bytes[at];
  const short = bytes[at + 1];
  if (tag === undefined || short === undefined) {
    return undefined;
  }
  const lengthBytes = short < 0x80 ? 0 : short - 0x80;
  if (lengthBytes > maxLengthBytes || short === 0x80) {
    return undefined;
  }
  const start = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? short : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return start + length <= end ? { tag, start, end: start + length } : undefined;
}
