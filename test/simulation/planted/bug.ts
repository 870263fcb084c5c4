// A defect that is planted into the product's sources while they are loaded, and the runs in which the simulation must see it.
import type { Plan } from '../trial.ts';

/** Replaces one passage of one file. Other edits of the file do not matter as long as the passage stands there once. */
export interface Edit {
  /** Below the project's root. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface PlantedBug {
  readonly name: string;
  /** What is wrong, in one sentence. */
  readonly about: string;
  readonly edits: readonly Edit[];
  /** Taken in turn, with the seeds 1, 2, … */
  readonly workloads: readonly [string, ...string[]];
  readonly plan: Plan;
}

/** No bug may need more. */
export const mostSeeds = 400;

/** Throws when the passage does not stand in the source exactly once: the bug must then be planted anew. */
export function plant(source: string, { file, before, after }: Edit): string {
  const found = source.split(before).length - 1;
  if (found !== 1) {
    throw new Error(
      `A planted bug no longer fits ${file}: the passage to replace stands there ${found} times: ${before}`,
    );
  }
  return source.replace(before, () => after);
}
