import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { valid } from '../../../../packages/apimachinery/checked.ts';
import { type AuthorCall, callAuthor, calledOf } from '../../../../packages/provider-sdk/call.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { aCluster } from '../../../support/scripted-provider.ts';

const unused = new AbortController().signal;

describe("A call of the author's code", () => {
  it('counts as failed when it ignores the deadline', async () => {
    const deadline = new AbortController();
    const called = callAuthor(aCall({ method: () => new Promise(() => {}) }), deadline.signal);
    deadline.abort();

    expect(await called).toMatchObject({
      end: {
        kind: 'failed',
        error: { message: 'reconcileNormal of Cluster default/workload did not end before the deadline' },
      },
    });
  });

  it('is not made after the deadline', async () => {
    let calls = 0;
    const method = async () => {
      calls += 1;
    };

    expect(await callAuthor(aCall({ method }), AbortSignal.abort(new Error('too late')))).toMatchObject({
      end: { kind: 'failed', error: { message: 'too late' } },
    });
    expect(calls).toBe(0);
  });

  it('removes its listeners from the signal', async () => {
    const deadline = new AbortController();

    const called = await callAuthor(aCall({ method: async () => 7 }), deadline.signal);

    expect(getEventListeners(deadline.signal, 'abort')).toEqual([]);
    expect(called).toEqual({ kept: { conditions: [], status: {} }, end: { kind: 'returned', value: 7 } });
  });

  it('works on a copy of the object', async () => {
    const call = aCall({ method: async ({ object }) => Object.assign(object.metadata, { name: 'changed' }) });

    await callAuthor(call, unused);

    expect(call.observed.object.metadata.name).toBe('workload');
  });

  it('fails when it throws a value that is not an Error', async () => {
    expect(await callAuthor(aCall({ method: () => Promise.reject('text') }), unused)).toMatchObject({
      end: { kind: 'failed', error: { message: 'text' } },
    });
  });

  it.each([
    { partial: { status: { phase: 'x' } }, problem: /phase is not a declared field/, reason: 'undeclared field' },
    { partial: { colour: 'red' }, problem: /record was handed a wrong value/, reason: 'unknown key' },
    {
      partial: { conditions: [{ type: 'Ready', status: 'True' as const, reason: 'Ready' }] },
      problem: /Ready is True, which contradicts/,
      reason: 'being ready is a result and cannot be recorded',
    },
  ])('fails when the author records an invalid value: $reason', async ({ partial, problem }) => {
    const call = aCall({ method: async context => context.record(partial) });

    expect(await callAuthor(call, unused)).toMatchObject({
      end: { kind: 'failed', error: { message: expect.stringMatching(problem) } },
    });
  });
});

describe('The outcome of a call', () => {
  it.each([
    { outcome: undefined, text: 'it was not called' },
    { outcome: { state: 'skipped' } as const, text: 'it was not called' },
    { outcome: { state: 'failed', failure: { reason: 'InternalError', message: 'lost' } } as const, text: 'lost' },
  ])('is a failure where there is none: $text', ({ outcome, text }) => {
    expect(calledOf(outcome).end).toMatchObject({
      kind: 'failed',
      error: { message: `The provider's code has no outcome: ${text}` },
    });
  });
});

function aCall(change: Pick<AuthorCall<unknown>, 'method'>): AuthorCall<unknown> {
  const { kubernetes, clock } = createMemoryApi();
  return {
    role: { conditions: ['Ready'], status: [], verdicts: ['Ready'] },
    observed: { object: aCluster(), client: kubernetes, log: aRecordingLog(), now: clock.now() },
    label: 'reconcileNormal of Cluster default/workload',
    parse: raw => valid(raw),
    ...change,
  };
}
