// The work of one run for each set: everything, a part, or a sample; and the order of the sets.
import type { MutationSet } from './sets.ts';

export interface MutationStep {
  readonly name: string;
  readonly set: MutationSet;
  /** The share of the set's mutants. */
  readonly share: number;
  /** Whether the set can be omitted when the time is over, because none of its files changed. */
  readonly optional: boolean;
}

interface Choice {
  /** The option `--all`. */
  readonly everything: boolean;
  /** The sets on the command line. Empty means all sets. */
  readonly wanted: readonly string[];
  readonly seed: number;
  /** The size of the source of a set, in bytes. */
  bytesOf(set: MutationSet): number;
  isChanged(set: MutationSet): boolean;
}

/** The approximate number of mutants in the sample of an unchanged set. */
const sampleSize = 60;

/**
 * The bytes of source per mutant, including comments. The measured values are 24 to 59 bytes. Only the size of a sample
 * depends on it.
 */
const bytesPerMutant = 40;

/**
 * Changed sets are first. The order of the others starts at another set for each seed, so that no set is omitted in
 * many short runs.
 */
export function planSteps(sets: Readonly<Record<string, MutationSet>>, choice: Choice): readonly MutationStep[] {
  const { everything, wanted, seed, bytesOf, isChanged } = choice;
  const chosen = Object.entries(sets).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  if (everything) {
    return chosen.map(([name, set]) => ({ name, set, share: 1, optional: false }));
  }
  const isDue = ([, set]: readonly [string, MutationSet]): boolean => wanted.length > 0 || isChanged(set);
  const due = chosen.filter(isDue).map(([name, set]) => ({ name, set, share: set.shareOfChanged, optional: false }));
  const others = chosen
    .filter(each => !isDue(each))
    .map(([name, set]) => ({
      name,
      set,
      share: Math.min(set.shareOfChanged, (sampleSize * bytesPerMutant) / Math.max(1, bytesOf(set))),
      optional: true,
    }));
  const first = others.length === 0 ? 0 : seed % others.length;
  return [...due, ...others.slice(first), ...others.slice(0, first)];
}
