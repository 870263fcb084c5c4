// A worker process of the simulation. A campaign starts one per core.
import { examinePart, type KillTask } from './kills/task.ts';
import { judge, knowUndisturbed, type Trial, type TrialResult, type Undisturbed, undisturbedRun } from './trial.ts';

/** Requests this workload's run without faults. */
export interface CountTask {
  readonly counted: string;
}

export interface UndisturbedRun extends Undisturbed {
  readonly workload: string;
}

/** Trials, and the runs without faults that other workers have computed for them. */
export interface TrialTask {
  readonly trials: readonly Trial[];
  readonly known: readonly UndisturbedRun[];
}

// Every abort creates an error, and the stack is the most expensive part. Stacks are recorded only in repeated runs.
Error.stackTraceLimit = 0;

process.on('message', (task: TrialTask | KillTask | CountTask) => {
  void answerTo(task).then(answer => process.send?.(answer));
});

function answerTo(task: TrialTask | KillTask | CountTask): Promise<unknown> {
  if ('counted' in task) {
    return countCalls(task);
  }
  return 'trials' in task ? judgeAll(task) : examinePart(task);
}

async function countCalls({ counted }: CountTask): Promise<UndisturbedRun> {
  return { workload: counted, ...(await undisturbedRun(counted)) };
}

async function judgeAll({ trials, known }: TrialTask): Promise<readonly TrialResult[]> {
  for (const { workload, ...run } of known) {
    knowUndisturbed(workload, run);
  }
  const verdicts: TrialResult[] = [];
  for (const trial of trials) {
    verdicts.push(await judge(trial));
  }
  return verdicts;
}
