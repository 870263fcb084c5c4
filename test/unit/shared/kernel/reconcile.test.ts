import type { ApiFailure } from '@capi-serverless/apimachinery';
import { type Action, type Report, type Result, RetryableError, TerminalError } from '@capi-serverless/reconciler';
import { beforeEach, describe, expect, it } from 'vitest';
import { triesOfUnservedKind } from '../../../../shared/kernel/reconcile.ts';
import {
  aDeclaration,
  type aReconciler,
  aRecordingLog,
  aWidget,
  type SeenWidget,
  widgetRef,
} from '../../../support/kernel.ts';
import { createKernelWorld, onWidget } from '../../../support/widget-reconcile.ts';

let { api, deadline, run } = createKernelWorld();

beforeEach(() => {
  ({ api, deadline, run } = createKernelWorld());
});

const unavailable: ApiFailure = { reason: 'Unavailable', code: 503, message: 'try later', retryAfterMs: 7_000 };

describe('the object', () => {
  it('is done when it is not found', async () => {
    api.given(aWidget({ metadata: { name: 'other' } }));
    const log = aRecordingLog();
    expect(await run({}, { log })).toEqual({ result: { kind: 'done' }, passes: 0, writes: 0 });
    expect(log.lines).toEqual([{ level: 'debug', message: 'Object is gone' }]);
  });

  it.each([
    { reason: 'after the wait that the server requests', failure: unavailable, retryAfterMs: 7_000 },
    {
      reason: 'with backoff otherwise',
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
    { attempt: 0, terminal: false, reason: 'its definition may be installed again' },
    { attempt: triesOfUnservedKind - 1, terminal: false, reason: 'the last try' },
    { attempt: triesOfUnservedKind, terminal: true, reason: 'a later list of the kind enqueues it' },
  ])(
    'of a kind that is not served does not count as not found, after $attempt tries: $reason',
    async ({ attempt, terminal }) => {
      api.calls.fail({ at: 1, failure: { reason: 'NotFound', code: 404, message: 'no such page', notServed: true } });
      const { result } = await run({}, { attempt });
      expect(result).toMatchObject({ kind: 'failed', terminal });
      expect(result.kind === 'failed' && result.error.message).toContain('Reading Widget ns/w1 failed: no such page');
    },
  );

  it('that cannot be read for another reason is always retried', async () => {
    api.calls.fail({ at: 1, failure: unavailable });
    const { result } = await run({}, { attempt: triesOfUnservedKind });
    expect(result).toMatchObject({ kind: 'failed', terminal: false, error: { name: 'RetryableError' } });
  });

  it('that the API server refuses as a bad request is not retried', async () => {
    api.calls.fail({ at: 1, failure: { reason: 'BadRequest', code: 400, message: 'no such name' } });
    const { result } = await run({});
    expect(result).toMatchObject({
      kind: 'failed',
      terminal: true,
      error: { message: 'Reading Widget ns/w1 failed: no such name' },
    });
  });

  it.each([
    { label: 'mine', passes: 1, reason: 'has the label' },
    { label: 'theirs', passes: 0, reason: 'has another value' },
    { label: undefined, passes: 0, reason: 'has no label' },
  ])('of the watch filter is reconciled, and no other: it $reason', async ({ label, passes }) => {
    const labels = { 'cluster.x-k8s.io/watch-filter': label ?? '' };
    api.given(aWidget(label === undefined ? {} : { metadata: { labels } }));
    const log = aRecordingLog();
    expect(await run({}, { watchFilter: 'mine', log })).toEqual({ result: { kind: 'done' }, passes, writes: 0 });
    expect(log.lines.map(({ message }) => message)).toEqual(
      passes === 0 ? ['Skipping an object of another watch filter'] : [],
    );
  });

  it('is not changed when observe stops', async () => {
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
    { reason: 'a thrown value that is not an error', thrown: 'text', terminal: false, message: 'text', isDefect: true },
  ])('is failed when a step throws $reason', async ({ thrown, terminal, message, isDefect }) => {
    api.given(aWidget());
    const { result, defect } = await run({ observe: () => Promise.reject(thrown) });
    expect(result).toMatchObject({ kind: 'failed', terminal, error: { message } });
    expect(defect?.message).toBe(isDefect ? message : undefined);
  });

  it('is failed, without a defect, if the deadline passed before the first read', async () => {
    api.given(aWidget());
    deadline.abort(new Error('Deadline passed'));
    const { result, defect } = await run({});
    expect(result).toMatchObject({ kind: 'failed', terminal: false, error: { message: 'Deadline passed' } });
    expect([defect, api.calls.all]).toEqual([undefined, []]);
  });

  it('is failed if the deadline passes during observe, before any write', async () => {
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
    { reason: 'the wait that the server requests', failure: unavailable, retryAfterMs: 7_000 },
    {
      reason: 'backoff otherwise',
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

  it('gets its status while a finalizer of another controller blocks the deletion', async () => {
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

it('reports the change of a condition whose changes send no event', async () => {
  let condition = {
    type: 'Probe',
    status: 'True',
    reason: 'Answered',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  api.given(aWidget());
  const owns = { conditions: ['Probe'], v1beta1: [], status: [], unwatched: ['Probe'] };
  const probing: Parameters<typeof aReconciler>[0] = {
    declaration: aDeclaration({ owns }),
    report: () => ({ status: { status: { conditions: [condition] } }, events: [], result: { kind: 'done' } }),
  };
  expect(await run(probing)).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1 });
  condition = { ...condition, status: 'False', reason: 'Silent' };
  expect(await run(probing)).toEqual({ result: { kind: 'done' }, passes: 1, writes: 1, unwatched: true });
});

it('reports that the object changed since its status was written', async () => {
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
