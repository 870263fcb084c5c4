import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../../../packages/apimachinery/answer.ts';
import type { Reads } from '../../../../packages/apimachinery/client.ts';
import { RetryableError } from '../../../../packages/reconciler/errors.ts';
import type { Action, Result } from '../../../../packages/reconciler/types.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import { aReconciler, aRecordingLog, aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

const other = { ...widgetRef, name: 'other' };
const busy = (seconds: number): ApiFailure => ({
  reason: 'TooManyRequests',
  code: 429,
  message: 'slow down',
  retryAfterMs: seconds * 1000,
});

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
  api.given(aWidget());
});

interface Asking {
  readonly ask?: (reads: Reads) => Promise<unknown>;
  readonly actions?: readonly Action[];
  readonly result: Result;
}

async function retryAfterOf({
  ask = async () => undefined,
  actions = [],
  result,
}: Asking): Promise<number | undefined> {
  const reconciler = aReconciler({
    observe: async (primary, reads, pass) => {
      await ask(reads);
      return { primary, pass: pass.number };
    },
    decide: () => actions,
    report: () => ({ events: [], result }),
  });
  const { clock, kubernetes } = api;
  const signal = new AbortController().signal;
  const context = { reconciler, kubernetes, ports: {}, clock, signal, log: aRecordingLog(), watchFilter: '' };
  const { result: end } = await reconcile(context, widgetRef);
  return end.kind === 'failed' && end.error instanceof RetryableError ? end.error.retryAfterMs : undefined;
}

const failed: Result = { kind: 'failed', error: new Error('failed to get the object'), terminal: false };

describe('the wait that a refused request returns', () => {
  it.each<{ readonly verb: string; readonly ask: (reads: Reads) => Promise<unknown> }>([
    { verb: 'get', ask: reads => reads.get(other) },
    { verb: 'metadata', ask: reads => reads.metadata(other) },
    { verb: 'list', ask: reads => reads.list({ apiVersion: other.apiVersion, kind: other.kind }) },
  ])('reaches the retry if observe used $verb', async ({ verb, ask }) => {
    api.calls.fail({ at: call => call.number > 1 && call.verb === verb, failure: busy(40) });
    expect(await retryAfterOf({ ask, result: failed })).toBe(40_000);
  });

  it('reaches the retry when an action was refused', async () => {
    api.calls.fail({ at: call => call.verb === 'patch', failure: busy(40) });
    const label: Action = {
      id: 'label',
      onError: 'continue',
      do: 'patch',
      ref: widgetRef,
      body: { metadata: { labels: { a: 'b' } } },
    };
    expect(await retryAfterOf({ actions: [label], result: failed })).toBe(40_000);
  });

  const askTwice = async (reads: Reads): Promise<void> => {
    await reads.get(other);
    await reads.get(other);
  };

  it.each<{ readonly reason: string; readonly result: Result; readonly retryAfterMs: number | undefined }>([
    { reason: 'the longest of several', result: failed, retryAfterMs: 40_000 },
    {
      reason: "the error's own delay when it is longer",
      result: { ...failed, error: new RetryableError('later', { retryAfterMs: 50_000 }) },
      retryAfterMs: 50_000,
    },
    {
      reason: 'instead of a shorter delay of the error',
      result: { ...failed, error: new RetryableError('soon', { retryAfterMs: 1_000 }) },
      retryAfterMs: 40_000,
    },
    {
      reason: 'instead of no delay of the error',
      result: { ...failed, error: new RetryableError('again') },
      retryAfterMs: 40_000,
    },
    { reason: 'not at all without a failure', result: { kind: 'done' }, retryAfterMs: undefined },
    {
      reason: 'not at all when a retry cannot help',
      result: { ...failed, terminal: true },
      retryAfterMs: undefined,
    },
  ])('counts: $reason', async ({ result, retryAfterMs }) => {
    api.calls.fail({ at: 2, failure: busy(40) });
    api.calls.fail({ at: 3, failure: busy(3) });
    expect(await retryAfterOf({ ask: askTwice, result })).toBe(retryAfterMs);
  });

  it('does not change responses and results without a failure', async () => {
    const read: unknown[] = [];
    const reconciler = aReconciler({
      observe: async (primary, reads, pass) => {
        api.calls.fail({ at: 3, failure: busy(40) });
        read.push(await reads.get(widgetRef), await reads.get(other));
        return { primary, pass: pass.number };
      },
      report: () => ({ events: [], result: { kind: 'requeueAfter', ms: 5 } }),
    });
    const { clock, kubernetes } = api;
    const signal = new AbortController().signal;
    const context = { reconciler, kubernetes, ports: {}, clock, signal, log: aRecordingLog(), watchFilter: '' };
    expect((await reconcile(context, widgetRef)).result).toEqual({ kind: 'requeueAfter', ms: 5 });
    expect(read).toMatchObject([
      { ok: true, value: { kind: 'Widget' } },
      { ok: false, failure: busy(40) },
    ]);
  });

  it('does not change the back-off without a requested wait', async () => {
    api.calls.fail({ at: 2, failure: { reason: 'InternalError', message: 'boom' } });
    expect(await retryAfterOf({ ask: askTwice, result: failed })).toBeUndefined();
  });
});
