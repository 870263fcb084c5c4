// A worker process of the simulation. A campaign starts one per core.
import { examinePart, type KillTask } from './kills/task.ts';
import { judge, type Trial, type TrialResult, type Undisturbed, undisturbedRun } from './trial.ts';

/** Requests the number of calls of this workload's run without faults. */
export interface CountTask {
  readonly counted: string;
}

export interface CountedCalls extends Omit<Undisturbed, 'end'> {
  readonly workload: string;
}

// Every abort creates an error, and the stack is the most expensive part. Stacks are recorded only in repeated runs.
Error.stackTraceLimit = 0;

process.on('message', (task: readonly Trial[] | KillTask | CountTask) => {
  void answerTo(task).then(answer => process.send?.(answer));
});

function answerTo(task: readonly Trial[] | KillTask | CountTask): Promise<unknown> {
  if ('counted' in task) {
    return countCalls(task);
  }
  return 'workload' in task ? examinePart(task) : judgeAll(task);
}

async function countCalls({ counted }: CountTask): Promise<CountedCalls> {
  const { end: _, ...calls } = await undisturbedRun(counted);
  return { workload: counted, ...calls };
}

async function judgeAll(trials: readonly Trial[]): Promise<readonly TrialResult[]> {
  const verdicts: TrialResult[] = [];
  for (const trial of trials) {
    verdicts.push(await judge(trial));
  }
  return verdicts;
}
