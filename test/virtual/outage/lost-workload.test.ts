// A workload cluster that does not answer for an hour: one change of each Machine's conditions each way, a bounded number
// of reconciles, and other Clusters are not delayed.
import { expect, it } from 'vitest';
import { isFull } from '../../support/extent.ts';
import { loseWorkload } from './lost-workload.ts';

const mostPasses = 12;
/** CAPI_LOST_MACHINES sets another number. 200 take 25 s of CPU, 1,000 take some minutes. */
const lost = Number(process.env['CAPI_LOST_MACHINES'] ?? (isFull ? 200 : 20));

/** A run of 1,000 takes longer than the usual limit on a loaded machine. */
const limitMs = Math.max(600_000, lost * 3000);
const promise =
  'changes the conditions of its Machines once each way, and costs at most twelve passes of each in an hour';

it(promise, { timeout: limitMs }, async () => {
  const outcome = await loseWorkload({ lost, others: 10, minutes: 60 });
  expect(outcome.lost).toHaveLength(lost);
  for (const { states, passes } of outcome.lost) {
    expect(states.slice(-3)).toEqual(['True', 'Unknown', 'True']);
    expect(states.filter(state => state === 'Unknown').length).toBeLessThanOrEqual(2);
    expect(passes).toBeLessThanOrEqual(mostPasses);
  }
  for (const { states } of outcome.others) {
    expect(states.at(-1)).toBe('True');
    expect(states.filter(state => state === 'True')).toHaveLength(1);
  }
  expect(outcome.delayMs).toBeLessThanOrEqual(outcome.usualDelayMs + 1000);
  console.log(
    `${lost} Machines: at most ${Math.max(...outcome.lost.map(({ passes }) => passes))} passes in an hour, delay of others ${outcome.usualDelayMs} → ${outcome.delayMs} ms`,
  );
});
