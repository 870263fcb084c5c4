// A bug that is planted into the product's sources at load time, and the runs in which the simulation must detect it.
import type { Plan } from '../trial.ts';

/** Replaces one passage of a file. The passage must occur exactly once. */
interface Edit {
  /** Relative to the project's root. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface PlantedBug {
  readonly name: string;
  /** The defect, in one sentence. */
  readonly about: string;
  readonly edits: readonly Edit[];
  /** Taken in turn, with the seeds 1, 2, … */
  readonly workloads: readonly [string, ...string[]];
  readonly plan: Plan;
}

/** The limit of runs for every bug. */
export const mostSeeds = 400;

/** Throws if the passage does not occur exactly once; then the bug must be adapted. */
export function plant(source: string, { file, before, after }: Edit): string {
  const found = source.split(before).length - 1;
  if (found !== 1) {
    throw new Error(
      `A planted bug no longer fits ${file}: the passage to replace stands there ${found} times: ${before}`,
    );
  }
  return source.replace(before, () => after);
}
