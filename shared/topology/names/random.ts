// The characters that upstream draws by chance: here they follow from what the name is for, so that a name can be computed again.

/** Pure; 32 bytes of sha256 of the text in UTF-8. */
export type Digest = (text: string) => Uint8Array;

/** Upstream's: no vowels, and nothing that reads like another character. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const length = 5;
/** Bytes of the digest behind one text of characters: many more than it needs, so that all are equally likely. */
const bytesPerText = 8;

export interface Randomness {
  /** In the place that the pattern gives it. */
  readonly random: string;
  /** For what is cut off. */
  readonly ending: string;
}

/** What stands for chance in the n-th candidate for a name. The same seed gives the same, everywhere and always. */
export function randomnessOf(seed: readonly unknown[], n: number, digest: Digest): Randomness {
  const bytes = digest(JSON.stringify([...seed, n]));
  return { random: toCharacters(bytes, 0), ending: toCharacters(bytes, bytesPerText) };
}

function toCharacters(bytes: Uint8Array, from: number): string {
  const size = BigInt(alphabet.length);
  let number = bytes.slice(from, from + bytesPerText).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let characters = '';
  for (let at = 0; at < length; at += 1) {
    characters += alphabet.charAt(Number(number % size));
    number /= size;
  }
  return characters;
}
