// The passes of one reconcile until the object is settled.

import { type Action, type EventDraft, type Report, workOfPass, workOfReconcile } from '@capi-serverless/reconciler';
import { beforeEach, describe, expect, it } from 'vitest';
import { aWidget, widgetRef } from '../../../support/kernel.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';
import { createKernelWorld, onWidget } from '../../../support/widget-reconcile.ts';

let { api, run } = createKernelWorld();

beforeEach(() => {
  ({ api, run } = createKernelWorld());
});

const again: Report = { events: [], result: { kind: 'again' } };
describe('settling', () => {
  it('runs another pass immediately if the report requests it', async () => {
    api.given(aWidget());
    const ended = await run({ report: seen => (seen.pass < 3 ? again : { events: [], result: { kind: 'done' } }) });
    expect(ended).toMatchObject({ result: { kind: 'done' }, passes: 3 });
  });

  it('requeues the object while less than the work of a whole pass is left', async () => {
    api.given(aWidget());
    const share = (workOfReconcile.units - workOfPass.units) / 2;
    const ended = await run({
      observe: async (primary, _ask, { number, meter }) => {
        meter?.charge(share + 1);
        return { primary, pass: number };
      },
      report: () => again,
    });
    expect(ended).toMatchObject({ result: { kind: 'again' }, passes: 2 });
  });

  it('requeues the object after five passes', async () => {
    api.given(aWidget());
    expect(await run({ report: () => again })).toMatchObject({ result: { kind: 'again' }, passes: 5 });
  });

  it('is done after an action that returns no object', async () => {
    api.given(aWidget());
    const authored: Action = { id: 'r', onError: 'stop', do: 'run', label: 'author', run: async () => 1 };
    expect(
      await run({ decide: () => [authored], report: () => ({ ...again, result: { kind: 'done' } }) }),
    ).toMatchObject({
      result: { kind: 'done' },
    });
  });

  it('runs one pass if `maxPasses` is 1', async () => {
    api.given(aWidget());
    expect(await run({ report: () => again }, { maxPasses: 1 })).toMatchObject({
      result: { kind: 'again' },
      passes: 1,
    });
  });

  it('uses the answer of its own write as the next primary, and reads it again if it wrote nothing', async () => {
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
    // The first read, and the read after the pass without writes.
    expect(api.calls.all.filter(onWidget('get'))).toHaveLength(2);
  });

  it('reads again after a conflict, without a report of the stale pass', async () => {
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

  it('is repeated if another reconcile has reported since it was read', async () => {
    api.given(aWidget());
    api.calls.before(
      call => call.verb === 'patch' && call.subresource === 'status' && call.number === 2,
      () => api.others.mergePatch(widgetRef, { status: { phase: 'of another' } }, { subresource: 'status' }),
    );
    const before: unknown[] = [];
    const hurried = { clock: { now: () => api.clock.now(), sleep: async () => undefined } };
    const ended = await run(
      {
        report({ primary, pass }) {
          before.push(primary.status);
          return { status: { status: { phase: `of pass ${pass}` } }, events: [], result: { kind: 'done' } };
        },
      },
      hurried,
    );
    expect(ended).toMatchObject({ result: { kind: 'done' }, passes: 2, writes: 2 });
    expect(before).toEqual([undefined, { phase: 'of another' }]);
    expect(api.read(widgetRef).status).toEqual({ phase: 'of pass 2' });
  });

  it('records the events of actions that were done before a conflict', async () => {
    api.given(aWidget());
    api.calls.fail({ at: 3, failure: { reason: 'Conflict', code: 409, message: 'changed' } });
    const { apiVersion, kind } = aWidget();
    const second = { apiVersion, kind, metadata: { namespace: 'ns', name: 'w2' } };
    const aNotice = (message: string): EventDraft => ({ type: 'Normal', reason: 'MachineCounts', message });
    const made: Action = {
      id: 'made',
      onError: 'stop',
      do: 'create',
      object: second,
      ours: () => true,
      toEvent: object => aNotice(`made ${object?.metadata.name}`),
    };
    const patch = { onError: 'stop', do: 'patch', ref: widgetRef, body: {} } as const;
    const lost: Action = { ...patch, id: 'lost', resourceVersion: '1', toEvent: () => aNotice('lost') };
    const skipped: Action = { ...patch, id: 'skipped', toEvent: () => aNotice('skipped') };
    const { passes, writes } = await run({
      decide: ({ pass }) => (pass === 1 ? [made, lost, skipped] : []),
      report: () => ({ events: [], result: { kind: 'done' } }),
    });
    expect({ passes, writes }).toEqual({ passes: 2, writes: 3 });
    const events = await api.others.list({ apiVersion: 'v1', kind: 'Event' });
    expect(events).toMatchObject({ ok: true, value: [{ message: 'made w2', involvedObject: { name: 'w1' } }] });
  });

  it('fails with backoff if every pass has a conflict', async () => {
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

  it('continues in the next invocation if a pass made progress before the last conflict', async () => {
    api.given(aWidget());
    let patches = 0;
    api.calls.fail({
      at: call => {
        patches += call.verb === 'patch' ? 1 : 0;
        return call.verb === 'patch' && patches > 1;
      },
      failure: { reason: 'Conflict', code: 409, message: 'changed' },
    });
    const { result, passes } = await run({
      decide: ({ pass }) => [{ id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: { spec: { pass } } }],
      report: () => ({ events: [], result: { kind: 'again' } }),
    });
    expect({ result, passes }).toEqual({ result: { kind: 'again' }, passes: 5 });
  });

  it('waits a little longer after each lost race, at random, before it reads the object again', async () => {
    api.given(aWidget());
    api.calls.fail({
      at: call => call.verb === 'patch',
      failure: { reason: 'Conflict', code: 409, message: 'changed' },
    });
    const clock = new SteppedClock();
    const draws = [0, 1, 0.5, 0.25];
    const begun: number[] = [];
    const running = run(
      {
        decide: () => {
          begun.push(clock.now());
          return [{ id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: {}, resourceVersion: '1' }];
        },
      },
      { clock, random: () => draws.shift() ?? 0 },
    );
    await clock.advance(10_000);
    expect((await running).passes).toBe(5);
    const [first = 0] = begun;
    expect(begun.map(at => at - first)).toEqual([0, 25, 175, 375, 675]);
    expect(clock.sleepers).toBe(0);
  });

  it('waits no longer than the invocation has time', async () => {
    api.given(aWidget());
    api.calls.fail({
      at: call => call.verb === 'patch',
      failure: { reason: 'Conflict', code: 409, message: 'changed' },
    });
    const deadline = new AbortController();
    const running = run(
      { decide: () => [{ id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: {}, resourceVersion: '1' }] },
      { clock: new SteppedClock(), random: () => 1, signal: deadline.signal },
    );
    deadline.abort(new Error('The time of this invocation is up'));
    expect(await running).toMatchObject({ result: { kind: 'failed', terminal: false } });
  });

  it('is done once its own write deleted the object', async () => {
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
