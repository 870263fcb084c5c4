// A process with an inserted bug. It runs trials until one trial detects the bug, and reports this trial. `preload.ts`
// inserts the bug.
import { judge, type Trial } from '../trial.ts';
import { mostSeeds } from './bug.ts';
import { bugNamed } from './bugs/index.ts';

export interface Hunt {
  /** The first trial that detected the bug, and its violation. `undefined` if no trial detected it. */
  readonly caught: { readonly trial: Trial; readonly problem: string } | undefined;
}

const bug = bugNamed(process.env['CAPI_PLANTED_BUG'] ?? '');

async function hunt(): Promise<Hunt> {
  for (let seed = 1; seed <= mostSeeds; seed += 1) {
    const workload = bug.workloads[(seed - 1) % bug.workloads.length] ?? bug.workloads[0];
    const trial: Trial = { workload, seed, plan: bug.plan };
    const problem = await problemOf(trial);
    if (problem !== undefined) {
      return { caught: { trial, problem } };
    }
  }
  return { caught: undefined };
}

/** A failed run without faults also detects the bug. */
async function problemOf(trial: Trial): Promise<string | undefined> {
  try {
    return (await judge(trial)).problems[0];
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

process.stdout.write(JSON.stringify(await hunt()));
