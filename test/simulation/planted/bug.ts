// A bug that is inserted into the product's sources at load time, and the runs in which the simulation must detect it.
import type { FaultPlan } from '../trial.ts';

/** Replaces one part of a file. The part must occur exactly once. */
interface Edit {
  /** The path relative to the project's root. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export interface PlantedBug {
  readonly name: string;
  /** The defect, in one sentence. */
  readonly about: string;
  readonly edits: readonly Edit[];
  /** The workloads. They are used in turn, with the seeds 1, 2, … */
  readonly workloads: readonly [string, ...string[]];
  readonly plan: FaultPlan;
}

/** The maximum number of runs for each bug. */
export const mostSeeds = 400;

/** Throws if the part does not occur exactly once. In this case the bug must be changed. */
export function plant(source: string, { file, before, after }: Edit): string {
  const found = source.split(before).length - 1;
  if (found !== 1) {
    throw new Error(
      `A planted bug no longer fits ${file}: the passage to replace stands there ${found} times: ${before}`,
    );
  }
  return source.replace(before, () => after);
}
