// A part of a long suite for each commit. Suites on real parts use it, whose cases all run in virtual time as well, and
// long properties whose inputs are numbered.
// CAPI_TEST_PART=all takes everything, and CAPI_TEST_PART=<number> another part.
import { commitSeed } from './commit-seed.ts';

export interface Rotation {
  /** The parts into which the suite is divided. 1: no division. */
  readonly parts: number;
  /** 0, 1, … */
  readonly part: number;
}

/** Throws if CAPI_TEST_PART is neither a whole number nor `all`. */
export function rotationOf(parts: number, wish = process.env['CAPI_TEST_PART'] ?? ''): Rotation {
  if (wish === 'all') {
    return { parts: 1, part: 0 };
  }
  if (!/^\d{0,15}$/.test(wish)) {
    throw new RangeError(`CAPI_TEST_PART is a whole number or all, not "${wish}"`);
  }
  return { parts, part: (wish === '' ? commitSeed() : Number(wish)) % parts };
}

/** Returns the items of this part: every n-th, so that neighbours are in different parts. */
export function itemsOf<T>(items: readonly T[], { parts, part }: Rotation): readonly T[] {
  return items.filter((_, index) => index % parts === part);
}

/** Returns the files that another commit takes. */
export function outOfTurn(files: readonly string[], rotation = rotationOf(files.length)): readonly string[] {
  const taken = itemsOf(files, rotation);
  return files.filter(file => !taken.includes(file));
}

/** Returns the line that a suite prints. */
export function describeRotation(what: string, { parts, part }: Rotation): string {
  return parts === 1
    ? `${what}: all`
    : `${what}: part ${part} of ${parts}, as the commit chose; CAPI_TEST_PART=all takes all`;
}
