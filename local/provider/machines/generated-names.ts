// The names of objects that the Machine controllers create. They are deterministic, so that a retry creates no
// duplicate.
import { hash } from 'node:crypto';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixCharacters = 5;
const longestBase = 57;

/** Returns `<base>-<five characters>`, derived from `parts` only. The name has at most 63 characters. */
export function nameFrom(base: string, ...parts: readonly (string | number)[]): string {
  return `${base.slice(0, longestBase)}-${digest(...parts)}`;
}

/** Returns five characters, derived from `parts` only. */
function digest(...parts: readonly (string | number)[]): string {
  const bytes = Buffer.from(hash('sha256', JSON.stringify(parts), 'hex'), 'hex');
  return [...bytes.subarray(0, suffixCharacters)].map(byte => alphabet[byte % alphabet.length]).join('');
}

/** Returns the first `count` unused names of the sequence. */
export function freeNames(
  count: number,
  taken: readonly string[],
  nameAt: (index: number) => string,
): readonly string[] {
  const names: string[] = [];
  for (let index = 0; names.length < count; index += 1) {
    const name = nameAt(index);
    if (!taken.includes(name) && !names.includes(name)) {
      names.push(name);
    }
  }
  return names;
}
