// Reconciles whose invocation is shorter than their work: what they still write, and how they continue.

import { type Kubernetes, refused } from '@capi-serverless/apimachinery';
import type { Report } from '@capi-serverless/reconciler';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReconcileContext } from '../../../../shared/kernel/reconcile.ts';
import { aWidget, type SeenWidget, widgetRef } from '../../../support/kernel.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';
import { createKernelWorld } from '../../../support/widget-reconcile.ts';

let { api, run } = createKernelWorld();
let clock: SteppedClock;

beforeEach(() => {
  ({ api, run } = createKernelWorld());
  clock = new SteppedClock();
  api.given(aWidget());
});

const other = { ...widgetRef, name: 'slow' };
const again: Report = { events: [], result: { kind: 'again' } };

/** A client whose reads of `other` are answered only when they are aborted. */
function stalling(client: Kubernetes, signal?: AbortSignal): Kubernetes {
  const get = (async (ref: typeof other) => {
    if (ref.name !== other.name) {
      return client.get(ref);
    }
    await new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve(), { once: true }));
    return refused({ reason: 'Aborted', message: 'aborted before an answer came' });
  }) as Kubernetes['get']; // true: tests do not parse objects
  return { ...client, get, within: inner => stalling(client.within(inner), inner) };
}

/** Reads `other`, and reports whether that failed. */
const reader: Parameters<typeof run>[0] = {
  observe: async (primary, ask, { number }) => {
    const answer = await ask.get(other);
    return { primary, pass: answer.ok ? number : -1 };
  },
  report: ({ pass }): Report => ({
    status: { status: { phase: pass < 0 ? 'Partial' : 'Whole' } },
    events: [],
    result: { kind: 'failed', error: new Error('the other Widget was not read'), terminal: false },
  }),
};

function timed(change: Partial<ReconcileContext<object, SeenWidget>> = {}) {
  return { clock, deadline: clock.now() + 100_000, kubernetes: stalling(api.kubernetes), ...change };
}

const phaseOf = async () => {
  const answer = await api.others.get(widgetRef);
  return answer.ok ? answer.value.status : undefined;
};

describe('a reconciler that reports late reads', () => {
  it.each([
    { attempt: 0, seconds: 50 },
    { attempt: 1, seconds: 75 },
  ])('writes what it has read after $seconds s of 100 s in attempt $attempt', async ({ attempt, seconds }) => {
    const running = run({ ...reader, reportsLateReads: true }, timed({ attempt }));
    await clock.advance(seconds * 1000 - 1);
    expect(await phaseOf()).toBeUndefined();
    await clock.advance(1);
    expect(await running).toMatchObject({ result: { kind: 'failed' }, outOfTime: true, passes: 1, writes: 1 });
    expect(await phaseOf()).toEqual({ phase: 'Partial' });
    expect(clock.sleepers).toBe(0);
  });

  it('passes the end of its reads to observe', async () => {
    const seen: (number | undefined)[] = [];
    const observe: (typeof reader)['observe'] = async (primary, _ask, { deadline, number }) => {
      seen.push(deadline);
      return { primary, pass: number };
    };
    const start = clock.now();
    await run({ observe, reportsLateReads: true }, timed());
    await run({ observe }, timed());
    await run({ observe, reportsLateReads: true });
    expect(seen).toEqual([start + 50_000, start + 100_000, undefined]);
    expect(clock.sleepers).toBe(0);
  });

  it('has an error, and is not out of time, if its reads ended in time', async () => {
    const ended = await run({ ...reader, reportsLateReads: true }, timed({ kubernetes: api.kubernetes }));
    expect(ended).toMatchObject({ result: { kind: 'failed' } });
    expect(ended).not.toHaveProperty('outOfTime');
  });

  it('is done if its report does not need the late reads', async () => {
    const running = run(
      { ...reader, report: () => ({ events: [], result: { kind: 'done' } }), reportsLateReads: true },
      timed(),
    );
    await clock.advance(50_000);
    const ended = await running;
    expect(ended.result).toEqual({ kind: 'done' });
    expect(ended).not.toHaveProperty('outOfTime');
  });

  it('is not out of time if its error is terminal', async () => {
    const terminal: Report = { events: [], result: { kind: 'failed', error: new Error('never'), terminal: true } };
    const running = run({ ...reader, report: () => terminal, reportsLateReads: true }, timed());
    await clock.advance(50_000);
    expect(await running).not.toHaveProperty('outOfTime');
  });
});

it('another reconciler reads until the deadline, and then writes nothing', async () => {
  const deadline = new AbortController();
  const kubernetes = stalling(api.kubernetes, deadline.signal);
  const running = run(reader, timed({ kubernetes, signal: deadline.signal }));
  await clock.advance(99_999);
  deadline.abort(new DOMException('The time of this invocation is up', 'TimeoutError'));
  const ended = await running;
  expect(ended).toMatchObject({ outOfTime: true, passes: 1, writes: 0 });
  expect(ended.result).toMatchObject({ kind: 'failed', error: { message: 'The time of this invocation is up' } });
  expect(ended).not.toHaveProperty('defect');
  expect(await phaseOf()).toBeUndefined();
});

it.each([
  { secondsPerPass: 30, passes: 3, reason: 'a fourth pass would end 20 s after the deadline' },
  { secondsPerPass: 25, passes: 4, reason: 'a fourth pass ends exactly at the deadline' },
  { secondsPerPass: 1, passes: 5, reason: 'five passes fit' },
])(
  'an object is requeued after $passes passes of $secondsPerPass s in 100 s: $reason',
  async ({ secondsPerPass, passes }) => {
    const observe: (typeof reader)['observe'] = async (primary, _ask, { number }) => {
      await clock.sleep(secondsPerPass * 1000);
      return { primary, pass: number };
    };
    const running = run({ observe, report: () => again }, timed());
    await clock.advance(100_000);
    const ended = await running;
    expect(ended).toMatchObject({ result: { kind: 'again' }, passes });
    expect(ended).not.toHaveProperty('outOfTime');
  },
);

it('an object is requeued if another writer was faster and no time is left for another pass', async () => {
  api.calls.fail({ at: ({ verb }) => verb === 'patch', failure: { reason: 'Conflict', message: 'changed' } });
  const observe: (typeof reader)['observe'] = async (primary, _ask, { number }) => {
    await clock.sleep(60_000);
    return { primary, pass: number };
  };
  const decide = () => [
    { id: 'a', onError: 'stop', do: 'patch', ref: widgetRef, body: {}, resourceVersion: '1' } as const,
  ];
  const running = run({ observe, decide }, timed({ kubernetes: api.kubernetes }));
  await clock.advance(100_000);
  expect(await running).toMatchObject({ result: { kind: 'again' }, passes: 1 });
});

it('repeats a refused request only with random waits', async () => {
  const busy = { reason: 'TooManyRequests', message: 'busy' } as const;
  api.calls.fail({ at: ({ verb }) => verb === 'get', failure: busy, times: 1 });
  expect((await run({})).result.kind).toBe('failed');
  api.calls.fail({ at: ({ verb }) => verb === 'get', failure: busy, times: 1 });
  const running = run({}, { clock, random: () => 0 });
  await clock.advance(250);
  expect((await running).result.kind).toBe('done');
});
