// A worker process of the simulation. A campaign starts one per core.
import { examinePart, type KillTask } from './kills/task.ts';
import { judge, type Trial, type Verdict } from './trial.ts';

// Every abort creates an error, and its stack is the most expensive part. Replays record stacks.
Error.stackTraceLimit = 0;

process.on('message', (task: readonly Trial[] | KillTask) => {
  const answer: Promise<unknown> = 'workload' in task ? examinePart(task) : judgeAll(task);
  void answer.then(each => process.send?.(each));
});

async function judgeAll(trials: readonly Trial[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const trial of trials) {
    verdicts.push(await judge(trial));
  }
  return verdicts;
}
