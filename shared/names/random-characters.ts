// The characters of a name that are random upstream. Here they are derived from the purpose of the name, so that they can
// be computed again.

/** A pure function that returns the 32 bytes of the SHA-256 of the text in UTF-8. */
export type Digest = (text: string) => Uint8Array;

/** Upstream's alphabet has no vowels and no similar characters. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const length = 5;
/** The number of digest bytes per text. It is large enough that all characters are almost equally likely. */
const bytesPerText = 8;

export interface Randomness {
  /** Inserted at the position in the pattern. */
  readonly random: string;
  /** Replaces the truncated end of a name. */
  readonly ending: string;
}

/** Returns the random characters of candidate n for a name. The same seed always produces the same characters. */
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
