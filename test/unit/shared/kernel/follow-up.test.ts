import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../../shared/kernel/backoff.ts';
import type { Work } from '../../../../shared/kernel/coalesce.ts';
import { RetryableError } from '../../../../shared/kernel/errors.ts';
import { toFollowUp } from '../../../../shared/kernel/follow-up.ts';
import type { Result } from '../../../../shared/kernel/types.ts';
import { parseRequest } from '../../../../shared/workqueue/message.ts';

const now = 100_000;
const work: Work = {
  key: { managementCluster: 'mc-1', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name: 'w1' },
  messageIds: ['m1'],
  attempt: 2,
  latestDue: undefined,
  causes: ['event'],
  traces: ['t-1', 't-2'],
};
const context = { reconciler: 'widget', now, resyncPeriodMs: 600_000, newId: () => 'id' };
const failedWith = (error: Error, terminal = false): Result => ({ kind: 'failed', error, terminal });

describe('the back-off', () => {
  it.each([
    { attempt: 0, ms: 1_000 },
    { attempt: 1, ms: 2_000 },
    { attempt: 8, ms: 256_000 },
    { attempt: 9, ms: 300_000 },
    { attempt: 1_000, ms: 300_000 },
  ])('waits $ms ms after $attempt failures', ({ attempt, ms }) => {
    expect(backoffMs(attempt)).toBe(ms);
  });
});

describe('the follow-up', () => {
  it.each([
    { reason: 'done needs nothing', result: { kind: 'done' } as const },
    { reason: 'a terminal error has no timer', result: failedWith(new Error('no'), true) },
    { reason: 'the resync comes before a very long delay', result: { kind: 'requeueAfter', ms: 1_200_000 } as const },
  ])('is nothing: $reason', ({ result }) => {
    expect(toFollowUp(result, work, context)).toBeUndefined();
  });

  it('keeps a very long delay where no resync runs', () => {
    const followUp = toFollowUp({ kind: 'requeueAfter', ms: 1_200_000 }, work, {
      ...context,
      resyncPeriodMs: undefined,
    });
    expect(followUp?.due).toBeGreaterThanOrEqual(now + 1_200_000);
  });

  it('is a message to itself for "again", at once and without an attempt', () => {
    const followUp = toFollowUp({ kind: 'again' }, work, context);
    expect(followUp?.queue).toBe('work-widget.fifo');
    expect(parseRequest(followUp?.message.body ?? '')).toMatchObject({
      cause: 'again',
      attempt: 0,
      trace: 't-1',
      key: work.key,
    });
  });

  it('is a timer for requeueAfter, which forgets failures', () => {
    const followUp = toFollowUp({ kind: 'requeueAfter', ms: 5_000 }, work, context);
    expect(followUp?.queue).toBe('delay');
    const due = followUp?.due ?? Number.NaN;
    expect(due).toBeGreaterThanOrEqual(now + 5_000);
    expect(due).toBeLessThanOrEqual(now + 7_500);
    expect(followUp?.message.delaySeconds).toBe((due - now) / 1000);
    expect(parseRequest(followUp?.message.body ?? '')).toMatchObject({ cause: 'timer', attempt: 0, due });
  });

  it('is a timer later than the one being served', () => {
    const served = { ...work, latestDue: 115_000 };
    expect(toFollowUp({ kind: 'requeueAfter', ms: 5_000 }, served, context)?.due).toBe(116_000);
  });

  it('is at another moment for another object, so that not all of them wake at once', () => {
    const dueOf = (name: string) =>
      toFollowUp({ kind: 'requeueAfter', ms: 60_000 }, { ...work, key: { ...work.key, name } }, context)?.due;
    expect(new Set(['w1', 'w2', 'w3', 'w4', 'w5', 'w6'].map(dueOf)).size).toBeGreaterThan(2);
  });

  it.each([
    { reason: 'the back-off after two failures', error: new Error('boom'), after: 4_000 },
    {
      reason: 'the longer wish of the error',
      error: new RetryableError('busy', { retryAfterMs: 30_000 }),
      after: 30_000,
    },
    {
      reason: 'the back-off where the wish is shorter',
      error: new RetryableError('busy', { retryAfterMs: 1 }),
      after: 4_000,
    },
    { reason: 'the back-off where there is no wish', error: new RetryableError('busy'), after: 4_000 },
  ])('is a retry with one attempt more after $reason', ({ error, after }) => {
    const followUp = toFollowUp(failedWith(error), work, context);
    const due = followUp?.due ?? Number.NaN;
    expect(due).toBeGreaterThanOrEqual(now + after);
    expect(due).toBeLessThanOrEqual(now + 1.5 * after);
    expect(parseRequest(followUp?.message.body ?? '')).toMatchObject({ cause: 'timer', attempt: 3, due });
  });
});
