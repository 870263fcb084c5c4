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
 * The approximate number of mutants of all changed sets together. A change of many sets is tested by a share of each, at
 * least by a sample. Otherwise the run would take as long as all other suites.
 */
const mostChanged = 3000;

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
  const mutantsOf = (set: MutationSet): number => Math.max(1, bytesOf(set)) / bytesPerMutant;
  const sampleOf = (set: MutationSet): number => Math.min(set.shareOfChanged, sampleSize / mutantsOf(set));
  const dueSets = chosen.filter(isDue);
  const dueMutants = dueSets.reduce((sum, [, set]) => sum + mutantsOf(set) * set.shareOfChanged, 0);
  const part = wanted.length > 0 ? 1 : Math.min(1, mostChanged / Math.max(1, dueMutants));
  const due = dueSets.map(([name, set]) => ({
    name,
    set,
    share: Math.max(part * set.shareOfChanged, sampleOf(set)),
    optional: false,
  }));
  const others = chosen
    .filter(each => !isDue(each))
    .map(([name, set]) => ({ name, set, share: sampleOf(set), optional: true }));
  const first = others.length === 0 ? 0 : seed % others.length;
  return [...due, ...others.slice(first), ...others.slice(0, first)];
}
