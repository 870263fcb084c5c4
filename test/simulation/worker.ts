// A process that judges the trials it is sent; a campaign starts one per core.
import { judge, type Trial, type Verdict } from './trial.ts';

// Every abort makes an error, and collecting its stack costs more than all else about it. A replay shows stacks.
Error.stackTraceLimit = 0;

process.on('message', (trials: readonly Trial[]) => {
  void judgeAll(trials).then(verdicts => process.send?.(verdicts));
});

async function judgeAll(trials: readonly Trial[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const trial of trials) {
    verdicts.push(await judge(trial));
  }
  return verdicts;
}
