import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../../../shared/api/answer.ts';
import { RetryableError, TerminalError } from '../../../../shared/kernel/errors.ts';
import { type ReconcileContext, reconcile, triesOfUnservedKind } from '../../../../shared/kernel/reconcile.ts';
import type { Action, EventDraft, Report, Result } from '../../../../shared/kernel/types.ts';
import {
  aDeclaration,
  aReconciler,
  aRecordingLog,
  aWidget,
  type SeenWidget,
  widgetCrd,
  widgetRef,
} from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';

let api: MemoryApi;
let deadline: AbortController;

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
  deadline = new AbortController();
});

function run(reconciler: Parameters<typeof aReconciler>[0], more: Partial<ReconcileContext<object, SeenWidget>> = {}) {
  return reconcile(
    {
      reconciler: aReconciler(reconciler),
      kubernetes: api.kubernetes,
      ports: {},
      clock: api.clock,
      signal: deadline.signal,
      log: aRecordingLog(),
      watchFilter: '',
      ...more,
    },
    widgetRef,
  );
}

const again: Report = { events: [], result: { kind: 'again' } };
const unavailable: ApiFailure = { reason: 'Unavailable', code: 503, message: 'try later', retryAfterMs: 7_000 };
const onWidget = (verb: string) => (call: { readonly verb: string; readonly kind: string }) =>
  call.verb === verb && call.kind === 'Widget';

describe('the object', () => {
  it('is done when it is gone', async () => {
    api.given(aWidget({ metadata: { name: 'other' } }));
    const log = aRecordingLog();
    expect(await run({}, { log })).toEqual({ result: { kind: 'done' }, passes: 0, writes: 0 });
    expect(log.lines).toEqual([{ level: 'debug', message: 'Object is gone' }]);
  });

  it.each([
    { reason: 'with the wait the server asks for', failure: unavailable, retryAfterMs: 7_000 },
    {
      reason: 'with back-off otherwise',
      failure: { reason: 'InternalError', message: 'boom' } as const,
      retryAfterMs: undefined,
    },
  ])('that cannot be read is tried again $reason', async ({ failure, retryAfterMs }) => {
    api.calls.fail({ at: 1, failure });
    const { result } = await run({});
    expect(result).toMatchObject({ kind: 'failed', terminal: false, error: { retryAfterMs } });
    expect(result.kind === 'failed' && result.error.message).toBe(`Reading Widget ns/w1 failed: ${failure.message}`);
  });

  it.each([
    { attempt: 0, terminal: false, reason: 'its definition may be on its way back' },
    { attempt: triesOfUnservedKind - 1, terminal: false, reason: 'the last try' },
    { attempt: triesOfUnservedKind, terminal: true, reason: 'whoever lists the kind again wakes it' },
  ])(
    'of a kind that is not served is not taken for gone, after $attempt tries: $reason',
    async ({ attempt, terminal }) => {
      api.calls.fail({ at: 1, failure: { reason: 'NotFound', code: 404, message: 'no such page', notServed: true } });
      const { result } = await run({}, { attempt });
      expect(result).toMatchObject({ kind: 'failed', terminal });
      expect(result.kind === 'failed' && result.error.message).toContain('Reading Widget ns/w1 failed: no such page');
    },
  );

  it('that is refused for another reason is never given up', async () => {
    api.calls.fail({ at: 1, failure: unavailable });
    const { result } = await run({}, { attempt: triesOfUnservedKind });
    expect(result).toMatchObject({ kind: 'failed', terminal: false, error: { name: 'RetryableError' } });
  });

  it.each([
    { label: 'mine', passes: 1, reason: 'carries the label' },
    { label: 'theirs', passes: 0, reason: 'carries another one' },
    { label: undefined, passes: 0, reason: 'carries none' },
  ])('of the watch filter is reconciled, and no other: it $reason', async ({ label, passes }) => {
    const labels = { 'cluster.x-k8s.io/watch-filter': label ?? '' };
    api.given(aWidget(label === undefined ? {} : { metadata: { labels } }));
    const log = aRecordingLog();
    expect(await run({}, { watchFilter: 'mine', log })).toEqual({ result: { kind: 'done' }, passes, writes: 0 });
    expect(log.lines.map(({ message }) => message)).toEqual(
      passes === 0 ? ['Skipping an object of another watch filter'] : [],
    );
  });

  it('is left alone when observe stops', async () => {
    api.given(aWidget());
    const log = aRecordingLog();
    const ended = await run({ observe: async () => ({ stop: 'not owned' }) }, { log });
    expect(ended).toEqual({ result: { kind: 'done' }, passes: 1, writes: 0 });
    expect(log.lines).toContainEqual({ level: 'debug', message: 'Nothing to reconcile', reason: 'not owned' });
  });
});

describe('the result', () => {
  it.each<{ readonly result: Result }>([
    { result: { kind: 'done' } },
    { result: { kind: 'requeueAfter', ms: 5_000 } },
    { result: { kind: 'failed', error: new Error('boom'), terminal: true } },
  ])('of the report is the result of the reconcile: $result.kind', async ({ result }) => {
    api.given(aWidget());
    expect((await run({ report: () => ({ events: [], result }) })).result).toEqual(result);
  });

  it.each([
    { reason: 'an unexpected error', thrown: new Error('boom'), terminal: false, message: 'boom', isDefect: true },
    {
      reason: 'a retryable error',
      thrown: new RetryableError('later'),
      terminal: false,
      message: 'later',
      isDefect: false,
    },
    {
      reason: 'a terminal error',
      thrown: new TerminalError('never'),
      terminal: true,
      message: 'never',
      isDefect: false,
    },
    { reason: 'something that is no error', thrown: 'text', terminal: false, message: 'text', isDefect: true },
  ])('is failed when a step throws $reason', async ({ thrown, terminal, message, isDefect }) => {
    api.given(aWidget());
    const { result, defect } = await run({ observe: () => Promise.reject(thrown) });
    expect(result).toMatchObject({ kind: 'failed', terminal, error: { message } });
    expect(defect?.message).toBe(isDefect ? message : undefined);
  });

  it('is failed, and no defect, when the deadline passed before the first read', async () => {
    api.given(aWidget());
    deadline.abort(new Error('Deadline passed'));
    const { result, defect } = await run({});
    expect(result).toMatchObject({ kind: 'failed', terminal: false, error: { message: 'Deadline passed' } });
    expect([defect, api.calls.all]).toEqual([undefined, []]);
  });

  it('is failed when the deadline passes during observe, before anything is written', async () => {
    api.given(aWidget());
    const observe = async (): Promise<SeenWidget> => {
      deadline.abort(new RetryableError('Deadline passed'));
      return { primary: aWidget(), pass: 1 };
    };
    const touch: Action = { id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: { spec: { late: true } } };
    const { result } = await run({ observe, decide: () => [touch] });
    expect(result).toMatchObject({ kind: 'failed', error: { message: 'Deadline passed' } });
    expect(api.calls.writes).toEqual([]);
  });
});

describe('settling', () => {
  it('makes another pass at once when the report says again', async () => {
    api.given(aWidget());
    const ended = await run({ report: seen => (seen.pass < 3 ? again : { events: [], result: { kind: 'done' } }) });
    expect(ended).toMatchObject({ result: { kind: 'done' }, passes: 3 });
  });

  it('hands over to a message after five passes', async () => {
    api.given(aWidget());
    expect(await run({ report: () => again })).toMatchObject({ result: { kind: 'again' }, passes: 5 });
  });

  it('is not misled by an action that answers no object', async () => {
    api.given(aWidget());
    const authored: Action = { id: 'r', onError: 'stop', do: 'run', label: 'author', run: async () => 1 };
    expect(
      await run({ decide: () => [authored], report: () => ({ ...again, result: { kind: 'done' } }) }),
    ).toMatchObject({
      result: { kind: 'done' },
    });
  });

  it('makes one pass only where a scenario wants one', async () => {
    api.given(aWidget());
    expect(await run({ report: () => again }, { maxPasses: 1 })).toMatchObject({
      result: { kind: 'again' },
      passes: 1,
    });
  });

  it('takes the answer of its own write as the next primary, and reads it again when it wrote nothing', async () => {
    api.given(aWidget());
    const touch: Action = { id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: { spec: { n: 1 } } };
    const specs: unknown[] = [];
    await run({
      observe: async (primary, _ask, { number }) => {
        if (number === 2) {
          await api.others.mergePatch(widgetRef, { spec: { theirs: 1 } });
        }
        return { primary, pass: number };
      },
      decide: seen => {
        specs.push(seen.primary.spec);
        return seen.pass === 1 ? [touch] : [];
      },
      report: seen => (seen.pass < 3 ? again : { events: [], result: { kind: 'done' } }),
    });
    expect(specs).toEqual([undefined, { n: 1 }, { n: 1, theirs: 1 }]);
    // The first read, and the one after the pass that wrote nothing.
    expect(api.calls.all.filter(onWidget('get'))).toHaveLength(2);
  });

  it('looks again after a lost race, without reporting what it had seen', async () => {
    api.given(aWidget());
    api.calls.before(
      call => call.verb === 'patch' && call.number === 2,
      () => api.others.mergePatch(widgetRef, { spec: { theirs: 1 } }),
    );
    const reported: number[] = [];
    const ended = await run({
      decide: ({ primary }) => [
        {
          id: 'a',
          onError: 'stop',
          do: 'patch',
          ref: widgetRef,
          body: { spec: { ours: 1 } },
          resourceVersion: primary.metadata.resourceVersion,
        },
      ],
      report: seen => {
        reported.push(seen.pass);
        return { events: [], result: { kind: 'done' } };
      },
    });
    expect(ended).toMatchObject({ result: { kind: 'done' }, passes: 2, writes: 2 });
    expect(reported).toEqual([2]);
    expect(api.read(widgetRef).spec).toEqual({ theirs: 1, ours: 1 });
  });

  it('tells of the actions that were done before it lost a race', async () => {
    api.given(aWidget());
    api.calls.fail({ at: 3, failure: { reason: 'Conflict', code: 409, message: 'changed' } });
    const { apiVersion, kind } = aWidget();
    const second = { apiVersion, kind, metadata: { namespace: 'ns', name: 'w2' } };
    const told = (message: string): EventDraft => ({ type: 'Normal', reason: 'Told', message });
    const made: Action = {
      id: 'made',
      onError: 'stop',
      do: 'create',
      object: second,
      ours: () => true,
      toEvent: object => told(`made ${object?.metadata.name}`),
    };
    const patch = { onError: 'stop', do: 'patch', ref: widgetRef, body: {} } as const;
    const lost: Action = { ...patch, id: 'lost', resourceVersion: '1', toEvent: () => told('lost') };
    const skipped: Action = { ...patch, id: 'skipped', toEvent: () => told('skipped') };
    const { passes, writes } = await run({
      decide: ({ pass }) => (pass === 1 ? [made, lost, skipped] : []),
      report: () => ({ events: [], result: { kind: 'done' } }),
    });
    expect({ passes, writes }).toEqual({ passes: 2, writes: 3 });
    const events = await api.others.list({ apiVersion: 'v1', kind: 'Event' });
    expect(events).toMatchObject({ ok: true, value: [{ message: 'made w2', involvedObject: { name: 'w1' } }] });
  });

  it('gives up with back-off when every pass loses the race', async () => {
    api.given(aWidget());
    api.calls.fail({
      at: call => call.verb === 'patch',
      failure: { reason: 'Conflict', code: 409, message: 'changed' },
    });
    const { result, passes } = await run({
      decide: () => [{ id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: {}, resourceVersion: '1' }],
    });
    expect(passes).toBe(5);
    expect(result).toMatchObject({ kind: 'failed', terminal: false });
    expect(result.kind === 'failed' && result.error.message).toBe(
      'Another writer changed objects in each of 5 passes: changed',
    );
  });

  it('is done once its own write removed the object', async () => {
    const [seen] = api.given(aWidget({ metadata: { finalizers: ['example.com/x'], deletionTimestamp: 'now' } }));
    const ended = await run({
      decide: () => [
        {
          id: 'a',
          onError: 'stop',
          do: 'patch',
          ref: widgetRef,
          body: { metadata: { finalizers: null } },
          resourceVersion: seen?.metadata.resourceVersion ?? '',
        },
      ],
      report: () => ({ ...again, status: { status: { phase: 'Deleted' } } }),
    });
    expect(ended).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1 });
    expect(api.calls.all.map(({ verb }) => verb)).toEqual(['get', 'patch']);
    expect(api.find(widgetRef)).toBeUndefined();
  });
});

it('records the events of actions and of the report, which count as writes', async () => {
  api.given(aWidget());
  const event = { type: 'Normal', reason: 'Provisioned', message: 'Widget w1 is Provisioned' } as const;
  const patched = { ...event, reason: 'Patched' };
  const action = { id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: {}, toEvent: () => patched } as const;
  const { writes } = await run({
    decide: () => [action],
    report: () => ({ events: [event], result: { kind: 'done' } }),
  });
  expect(writes).toBe(3);
  const events = await api.others.list({ apiVersion: 'v1', kind: 'Event' });
  expect(events).toMatchObject({
    ok: true,
    value: expect.arrayContaining([patched, event].map(each => expect.objectContaining(each))),
  });
});

describe('the status', () => {
  const report = (result: Result) => (): Report => ({ events: [], result, status: { status: { phase: 'B' } } });

  it('is written as reported, and counts as a write', async () => {
    api.given(aWidget());
    expect(await run({ report: report({ kind: 'done' }) })).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1 });
    expect(api.read(widgetRef).status).toEqual({ phase: 'B' });
  });

  it.each([
    { reason: 'the wait the server asks for', failure: unavailable, retryAfterMs: 7_000 },
    {
      reason: 'back-off otherwise',
      failure: { reason: 'InternalError', message: 'boom' } as const,
      retryAfterMs: undefined,
    },
  ])('that cannot be written is a failure, with $reason', async ({ failure, retryAfterMs }) => {
    api.given(aWidget());
    api.calls.fail({ at: onWidget('patch'), failure });
    const { result } = await run({ report: report({ kind: 'done' }) });
    expect(result).toMatchObject({ kind: 'failed', terminal: false, error: { retryAfterMs } });
    expect(result.kind === 'failed' && result.error.message).toBe(
      `Writing the status of Widget w1 failed: ${failure.message}`,
    );
  });

  it('that cannot be written keeps the failure of the report as its cause', async () => {
    api.given(aWidget());
    api.calls.fail({ at: onWidget('patch'), failure: unavailable });
    const error = new Error('the real trouble');
    const { result } = await run({ report: report({ kind: 'failed', error, terminal: false }) });
    expect(result.kind === 'failed' && result.error.cause).toBe(error);
  });
});

describe('an object that is being deleted', () => {
  const report = (): Report => ({ events: [], result: { kind: 'done' }, status: { status: { phase: 'Deleting' } } });

  it('gets its status as long as a finalizer of somebody else holds it', async () => {
    const finalizers = ['example.com/ours', 'example.com/theirs'];
    const [seen] = api.given(aWidget({ metadata: { finalizers, deletionTimestamp: 'now' } }));
    await run({
      decide: () => [
        {
          id: 'a',
          onError: 'stop',
          do: 'patch',
          ref: widgetRef,
          body: { metadata: { finalizers: ['example.com/theirs'] } },
          resourceVersion: seen?.metadata.resourceVersion ?? '',
        },
      ],
      report,
    });
    expect(api.read(widgetRef)).toMatchObject({
      metadata: { finalizers: ['example.com/theirs'] },
      status: { phase: 'Deleting' },
    });
  });
});

it('tells that a condition changed of which no event could have told', async () => {
  let condition = {
    type: 'Probe',
    status: 'True',
    reason: 'Answered',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  api.given(aWidget());
  const owns = { conditions: ['Probe'], v1beta1: [], status: [], unheralded: ['Probe'] };
  const probing: Parameters<typeof aReconciler>[0] = {
    declaration: aDeclaration({ owns }),
    report: () => ({ status: { status: { conditions: [condition] } }, events: [], result: { kind: 'done' } }),
  };
  expect(await run(probing)).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1 });
  condition = { ...condition, status: 'False', reason: 'Silent' };
  expect(await run(probing)).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1, unheralded: true });
});

it('tells that the object changed since its status was written', async () => {
  api.given(aWidget({ metadata: { generation: 3 } }));
  const tracking: Parameters<typeof aReconciler>[0] = {
    declaration: aDeclaration({ owns: { conditions: [], v1beta1: [], status: ['observedGeneration'] } }),
    report: ({ primary: { metadata } }) => ({
      status: { status: { observedGeneration: metadata.generation } },
      events: [],
      result: { kind: 'done' },
    }),
  };
  expect(await run(tracking)).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1, unseen: true });
  expect(await run(tracking)).toEqual({ result: { kind: 'done' }, passes: 1, writes: 0 });
});
