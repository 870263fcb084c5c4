import { RetryableError } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { withTimeLimit } from '../../../../shared/lambda/time-limit.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const clock = new SteppedClock();
const limit = { clock, ms: 8_000, doing: 'Loading credentials' };

it('returns the result of the work, and clears its timer', async () => {
  expect(await withTimeLimit(limit, async signal => signal.aborted)).toBe(false);
  expect(clock.sleepers).toBe(0);
});

it('passes on the error of the work, without aborting its signal', async () => {
  const signals: AbortSignal[] = [];
  const failing = withTimeLimit(limit, async signal => {
    signals.push(signal);
    throw new Error('no such file');
  });
  await expect(failing).rejects.toThrow('no such file');
  expect([signals.map(({ aborted }) => aborted), clock.sleepers]).toEqual([[false], 0]);
});

it('ends work that does not settle: aborts its signal and rejects', async () => {
  const signals: AbortSignal[] = [];
  const hanging = withTimeLimit(limit, signal => {
    signals.push(signal);
    return new Promise<never>(() => {});
  });
  const failure = expect(hanging).rejects.toThrow(new RetryableError('Loading credentials took longer than 8 s'));
  await clock.advance(7_999);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await clock.advance(1);
  await failure;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
