import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../../../packages/apimachinery/answer.ts';
import type { Unstructured } from '../../../../packages/apimachinery/object.ts';
import type { Declaration } from '../../../../packages/reconciler/types.ts';
import { writeStatus } from '../../../../packages/reconciler/write-status.ts';
import { aDeclaration, aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
});

const condition = (type: string, status: string, message = '') => ({
  type,
  status,
  reason: 'Because',
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

interface Attempt {
  readonly observed: Unstructured;
  readonly status: Record<string, unknown>;
  readonly declaration?: Declaration;
}

async function write({ observed, status, declaration = aDeclaration() }: Attempt) {
  const context = { kubernetes: api.kubernetes, declaration, clock: api.clock, signal: new AbortController().signal };
  const writing = writeStatus(context, { observed, latest: observed, change: { status }, now: api.clock.now() });
  await api.clock.advance(10_000);
  return writing;
}

const seen = (status?: unknown): Unstructured => {
  const [object] = api.given(aWidget(status === undefined ? {} : { status }));
  if (object === undefined) {
    throw new Error('nothing given');
  }
  return object;
};

describe('the status patch', () => {
  it.each([
    {
      reason: 'equal',
      before: { phase: 'A', conditions: [condition('Ready', 'True')] },
      after: { phase: 'A', conditions: [condition('Ready', 'True')] },
    },
    {
      reason: 'different only in fields that are not owned',
      before: { phase: 'A', other: 1 },
      after: { phase: 'A', other: 2 },
    },
    { reason: 'empty as before', before: undefined, after: {} },
  ])('is not sent when the report is $reason', async ({ before, after }) => {
    const observed = seen(before);
    expect(await write({ observed, status: after })).toEqual({ ok: true, value: { primary: observed, writes: 0 } });
    expect(api.calls.all).toEqual([]);
  });

  it('holds the changed owned fields, in one request without a read', async () => {
    const observed = seen({ phase: 'A', theirs: { kept: true } });
    const answer = await write({
      observed,
      status: { phase: 'B', theirs: { kept: false }, conditions: [condition('Ready', 'True')] },
    });
    expect(answer).toMatchObject({ ok: true, value: { writes: 1 } });
    expect(api.calls.all.map(({ verb }) => verb)).toEqual(['patch']);
    expect(api.read(widgetRef).status).toEqual({
      phase: 'B',
      theirs: { kept: true },
      conditions: [condition('Ready', 'True')],
    });
  });

  it('removes an owned field that the report dropped', async () => {
    await write({ observed: seen({ phase: 'A' }), status: {} });
    expect(api.read(widgetRef).status).toEqual({});
  });

  it('writes deprecated conditions at the declared path, or below deprecated.v1beta1', async () => {
    const owns = { conditions: [], v1beta1: ['Ready'], status: [] };
    const old = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await write({
      observed: seen(),
      status: { deprecated: { v1beta1: { conditions: [old] } } },
      declaration: aDeclaration({ owns }),
    });
    expect(api.read(widgetRef).status).toEqual({ deprecated: { v1beta1: { conditions: [old] } } });
    await write({
      observed: api.read(widgetRef),
      status: { older: { conditions: [old] } },
      declaration: aDeclaration({ owns, v1beta1Path: 'older.conditions' }),
    });
    expect(api.read(widgetRef).status).toMatchObject({ older: { conditions: [old] } });
  });
});

describe('a conflict', () => {
  it('is retried on a fresh read and keeps the conditions of others', async () => {
    const observed = seen({ conditions: [condition('Theirs', 'False')] });
    await api.others.mergePatch(
      widgetRef,
      { status: { conditions: [condition('Theirs', 'True', 'newer')] } },
      { subresource: 'status' },
    );
    const answer = await write({
      observed,
      status: { conditions: [condition('Theirs', 'False'), condition('Ready', 'True')] },
    });
    expect(answer).toMatchObject({ ok: true, value: { writes: 2 } });
    expect(api.read(widgetRef).status).toEqual({
      conditions: [condition('Ready', 'True'), condition('Theirs', 'True', 'newer')],
    });
  });

  it('with a report of another pass ends without a write', async () => {
    const observed = seen({ phase: 'A' });
    await api.others.mergePatch(widgetRef, { status: { phase: 'C' } }, { subresource: 'status' });
    const answer = await write({ observed, status: { phase: 'B' } });
    expect(answer).toMatchObject({ ok: true, value: { writes: 1, stale: { reason: 'Conflict' } } });
    expect(api.read(widgetRef).status).toEqual({ phase: 'C' });
  });

  it('with deprecated conditions of another pass ends without a write', async () => {
    const old = (status: string) => ({
      deprecated: { v1beta1: { conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }] } },
    });
    const observed = seen(old('Unknown'));
    await api.others.mergePatch(widgetRef, { status: old('False') }, { subresource: 'status' });
    const owns = { conditions: [], v1beta1: ['Ready'], status: [] };
    const answer = await write({ observed, status: old('True'), declaration: aDeclaration({ owns }) });
    expect(answer).toMatchObject({ ok: true, value: { writes: 1, stale: { reason: 'Conflict' } } });
    expect(api.read(widgetRef).status).toEqual(old('False'));
  });

  it('with its own report, whose answer was lost, is settled by the read', async () => {
    const observed = seen({ phase: 'A', conditions: [condition('Ready', 'False')] });
    const status = { phase: 'B', conditions: [condition('Ready', 'True')] };
    await api.others.mergePatch(widgetRef, { status }, { subresource: 'status' });
    const answer = await write({ observed, status });
    expect(answer).toEqual({ ok: true, value: { writes: 1, primary: api.read(widgetRef) } });
  });

  it('is given up after five tries', async () => {
    api.calls.fail({
      at: call => call.verb === 'patch',
      failure: { reason: 'Conflict', code: 409, message: 'changed' },
    });
    const answer = await write({ observed: seen(), status: { phase: 'B' } });
    expect(answer).toMatchObject({ ok: false, missing: false, failure: { reason: 'Conflict', message: 'changed' } });
    expect(api.calls.writes).toHaveLength(5);
  });

  it('is retried after an increasing delay', async () => {
    const observed = seen();
    api.calls.fail({
      at: call => call.verb === 'patch',
      failure: { reason: 'Conflict', code: 409, message: 'changed' },
    });
    const context = {
      kubernetes: api.kubernetes,
      declaration: aDeclaration(),
      clock: api.clock,
      signal: new AbortController().signal,
    };
    const change = { status: { phase: 'B' } };
    const writing = writeStatus(context, { observed, latest: observed, change, now: api.clock.now() });
    const tries: number[] = [];
    for (const ms of [99, 1, 199, 1, 299, 1, 399, 1]) {
      await api.clock.advance(ms);
      tries.push(api.calls.writes.length);
    }
    await writing;
    expect(tries).toEqual([1, 2, 2, 3, 3, 4, 4, 5]);
  });

  it.each([
    { reason: 'the fresh read finds nothing', meanwhile: () => api.others.delete(widgetRef) },
    {
      reason: 'the fresh read finds another object of that name',
      meanwhile: async () => {
        await api.others.delete(widgetRef);
        await api.others.create({ ...widgetRef, metadata: { name: 'w1', namespace: 'ns' } });
      },
    },
  ])('needs no status if $reason', async ({ meanwhile }) => {
    const observed = seen();
    api.calls.fail({ at: 1, failure: { reason: 'Conflict', code: 409, message: 'changed' } });
    api.calls.before(2, meanwhile);
    expect(await write({ observed, status: { phase: 'B' } })).toEqual({
      ok: true,
      value: { primary: undefined, writes: 1 },
    });
  });

  it('fails when the fresh read fails', async () => {
    const boom: ApiFailure = { reason: 'InternalError', code: 500, message: 'boom' };
    api.calls.fail({ at: 1, failure: { reason: 'Conflict', code: 409, message: 'changed' } });
    api.calls.fail({ at: 2, failure: boom });
    expect(await write({ observed: seen(), status: { phase: 'B' } })).toMatchObject({ ok: false, failure: boom });
  });

  it('fails when another writer changed a condition that is changed here but not owned', async () => {
    const observed = seen({ conditions: [condition('Theirs', 'False')] });
    await api.others.mergePatch(
      widgetRef,
      { status: { conditions: [condition('Theirs', 'Unknown')] } },
      { subresource: 'status' },
    );
    const answer = await write({ observed, status: { conditions: [condition('Theirs', 'True')] } });
    expect(answer).toMatchObject({ ok: false, missing: false, failure: { reason: 'Invalid' } });
    expect(answer.ok || answer.failure.message).toContain('Theirs');
  });
});

describe('other answers', () => {
  it('a deleted object needs no status', async () => {
    const observed = seen();
    await api.others.delete(widgetRef);
    expect(await write({ observed, status: { phase: 'B' } })).toEqual({
      ok: true,
      value: { primary: undefined, writes: 1 },
    });
  });

  it('any other refusal is returned', async () => {
    api.calls.fail({ at: 1, failure: { reason: 'Forbidden', code: 403, message: 'no' } });
    expect(await write({ observed: seen(), status: { phase: 'B' } })).toMatchObject({
      ok: false,
      failure: { reason: 'Forbidden' },
    });
  });
});
