// Runs the model many times for each variant and counts what went wrong.
import { runModel } from './run.ts';
import type { Loss, Variant } from './variants.ts';

export interface Figures {
  readonly variant: Variant;
  readonly runs: number;
  /** Runs that show it. */
  readonly losing: Readonly<Record<Loss, number>>;
  readonly reconcilesPerRun: number;
  readonly deadLetters: number;
}

/** `progress` is told after each run. Run n of every variant has the seed n, so that variants meet the same changes. */
export async function compare(
  variant: Variant,
  runs: number,
  progress: (done: number) => void = () => undefined,
): Promise<Figures> {
  const losing: Record<Loss, number> = { change: 0, timer: 0, overlap: 0 };
  let reconciles = 0;
  let deadLetters = 0;
  for (let run = 1; run <= runs; run += 1) {
    const verdict = await runModel(variant, String(run));
    reconciles += verdict.reconciles;
    deadLetters += verdict.deadLetters;
    for (const loss of verdict.losses) {
      losing[loss] += 1;
    }
    progress(run);
  }
  return { variant, runs, losing, reconcilesPerRun: reconciles / runs, deadLetters };
}
