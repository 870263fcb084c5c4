import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../../../shared/api/answer.ts';
import { RetryableError } from '../../../../shared/kernel/errors.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import type { Action, Reads, Result } from '../../../../shared/kernel/types.ts';
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

describe('the wait that a refused request asks for', () => {
  it.each<{ readonly verb: string; readonly ask: (reads: Reads) => Promise<unknown> }>([
    { verb: 'get', ask: reads => reads.get(other) },
    { verb: 'metadata', ask: reads => reads.metadata(other) },
    { verb: 'list', ask: reads => reads.list({ apiVersion: other.apiVersion, kind: other.kind }) },
  ])('reaches the retry when observe asked by $verb', async ({ verb, ask }) => {
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
      reason: "the error's own wish when that is longer",
      result: { ...failed, error: new RetryableError('later', { retryAfterMs: 50_000 }) },
      retryAfterMs: 50_000,
    },
    {
      reason: 'instead of a shorter wish of the error',
      result: { ...failed, error: new RetryableError('soon', { retryAfterMs: 1_000 }) },
      retryAfterMs: 40_000,
    },
    {
      reason: 'instead of no wish of the error',
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

  it('leaves answers and results without a failure as they are', async () => {
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

  it('leaves the back-off alone when none was asked for', async () => {
    api.calls.fail({ at: 2, failure: { reason: 'InternalError', message: 'boom' } });
    expect(await retryAfterOf({ ask: askTwice, result: failed })).toBeUndefined();
  });
});
