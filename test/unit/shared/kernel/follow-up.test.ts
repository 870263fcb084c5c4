import { type Result, RetryableError } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../../shared/kernel/backoff.ts';
import type { KeyWork } from '../../../../shared/kernel/coalesce.ts';
import { toFollowUp } from '../../../../shared/kernel/follow-up.ts';
import { parseRequest } from '../../../../shared/workqueue/message.ts';

const now = 100_000;
const work = {
  key: { managementCluster: 'mc-1', group: 'conformance.example.com', kind: 'Widget', namespace: 'ns', name: 'w1' },
  attempt: 2,
  latestDue: undefined,
  traces: ['t-1', 't-2'],
} satisfies Partial<KeyWork>;
const context = { reconciler: 'widget', now, fullResyncPeriodMs: 600_000, newId: () => 'id' };
const failedWith = (error: Error, terminal = false): Result => ({ kind: 'failed', error, terminal });

describe('the backoff', () => {
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
    { reason: 'a terminal error is not retried', result: failedWith(new Error('no'), true) },
    { reason: 'the resync comes before a very long delay', result: { kind: 'requeueAfter', ms: 1_200_000 } as const },
  ])('is absent: $reason', ({ result }) => {
    expect(toFollowUp(result, work, context)).toBeUndefined();
  });

  it('has a very long delay if no resync runs', () => {
    const followUp = toFollowUp({ kind: 'requeueAfter', ms: 1_200_000 }, work, {
      ...context,
      fullResyncPeriodMs: undefined,
    });
    expect(followUp?.due).toBeGreaterThanOrEqual(now + 1_200_000);
  });

  it('is a work message without delay for "again", with attempt 0', () => {
    const followUp = toFollowUp({ kind: 'again' }, work, context);
    expect(followUp?.queue).toBe('work-widget.fifo');
    expect(parseRequest(followUp?.message.body ?? '')).toMatchObject({
      cause: 'again',
      attempt: 0,
      trace: 't-1',
      key: work.key,
    });
  });

  it('is a timer for requeueAfter, with attempt 0', () => {
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

  it('is due at another time for another object, so that not all are due at once', () => {
    const dueOf = (name: string) =>
      toFollowUp({ kind: 'requeueAfter', ms: 60_000 }, { ...work, key: { ...work.key, name } }, context)?.due;
    expect(new Set(['w1', 'w2', 'w3', 'w4', 'w5', 'w6'].map(dueOf)).size).toBeGreaterThan(2);
  });

  it.each([
    { reason: 'the backoff after two failures', error: new Error('boom'), after: 4_000 },
    {
      reason: 'the longer wait of the error',
      error: new RetryableError('busy', { retryAfterMs: 30_000 }),
      after: 30_000,
    },
    {
      reason: 'the backoff if the wait of the error is shorter',
      error: new RetryableError('busy', { retryAfterMs: 1 }),
      after: 4_000,
    },
    {
      reason: 'the shorter wait of an error that is exact',
      error: new RetryableError('busy', { retryAfterMs: 2_000, isExact: true }),
      after: 2_000,
    },
    {
      reason: 'the longest backoff if a server wants an hour',
      error: new RetryableError('busy', { retryAfterMs: 3_600_000 }),
      after: 300_000,
    },
    {
      reason: 'the longest backoff if a server wants forever',
      error: new RetryableError('busy', { retryAfterMs: Number.POSITIVE_INFINITY }),
      after: 300_000,
    },
    {
      reason: 'the backoff if the wait is no number',
      error: new RetryableError('busy', { retryAfterMs: Number.NaN }),
      after: 4_000,
    },
    { reason: 'the backoff if the error has no wait', error: new RetryableError('busy'), after: 4_000 },
  ])('is a retry with the next attempt after $reason', ({ error, after }) => {
    const followUp = toFollowUp(failedWith(error), work, context);
    const due = followUp?.due ?? Number.NaN;
    expect(due).toBeGreaterThanOrEqual(now + after);
    expect(due).toBeLessThanOrEqual(now + 1.5 * after);
    expect(parseRequest(followUp?.message.body ?? '')).toMatchObject({ cause: 'timer', attempt: 3, due });
  });
});
