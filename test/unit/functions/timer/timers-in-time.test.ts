// Timers, invalid messages and the resync in virtual time: kernel, timer function and resync function with memory
// queues.

import type { Result } from '@capi-serverless/reconciler';
import type { SQSEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { deadLetterQueueOf, delayQueue } from '../../../../shared/workqueue/queue-names.ts';
import { aWidget, widgetCrd, widgetRef } from '../../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';
import {
  type CrashPoint,
  QueueWorld,
  type QueueWorldOptions,
  workQueue,
  worldQueues,
} from '../../../support/polled-queues.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const resyncPeriodSeconds = 600;

let api: MemoryApi;
let queues: MemoryQueues;

beforeEach(() => {
  api = createMemoryApi({ crds: [widgetCrd] });
  queues = new MemoryQueues({ queues: worldQueues, clock: api.clock });
});

function aWorld(options: Partial<QueueWorldOptions> & Pick<QueueWorldOptions, 'plan'>): QueueWorld {
  const world = new QueueWorld({ queues, clock: api.clock, api, ...options });
  world.start();
  return world;
}

function given(...names: readonly string[]): void {
  api.given(...names.map(name => aWidget({ metadata: { name } })));
}

const metadataOf = (name: string) => api.read({ ...widgetRef, name }).metadata;
const once = (first: Result): (() => Result) => {
  let result = first;
  return () => {
    const now = result;
    result = { kind: 'done' };
    return now;
  };
};

describe('a requeue', () => {
  const delays = [
    { ms: second, timer: true },
    { ms: 15 * minute, timer: true },
    { ms: 15 * minute + second, timer: true },
    { ms: 24 * hour, timer: false },
  ];

  it.each(delays)('after $ms ms fires in time and once, without a resync', async ({ ms }) => {
    given('w1');
    const world = aWorld({ plan: once({ kind: 'requeueAfter', ms }) });
    await world.sendEvent(metadataOf('w1'));
    await api.clock.advance(2 * ms + minute);
    const [first, ...later] = world.visits.map(({ startedAt }) => startedAt);
    expect(later).toHaveLength(1);
    expect((later[0] ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(ms);
    expect((later[0] ?? 0) - (first ?? 0)).toBeLessThanOrEqual(ms + Math.max(second, ms / 2));
    expect(await world.pending()).toBe(0);
  });

  it.each(delays)('after $ms ms fires in time across restarts of every function', async ({ ms }) => {
    given('w1');
    const world = aWorld({ plan: once({ kind: 'requeueAfter', ms }) });
    await world.sendEvent(metadataOf('w1'));
    for (let restart = 0; restart < 20; restart += 1) {
      await api.clock.advance(ms / 10);
      await world.stop();
      world.start();
    }
    const [first = 0, ...later] = world.visits.map(({ startedAt }) => startedAt);
    expect(later).toHaveLength(1);
    expect((later[0] ?? 0) - first).toBeGreaterThanOrEqual(ms);
    expect((later[0] ?? 0) - first).toBeLessThanOrEqual(ms + Math.max(second, ms / 2));
  });

  it.each(delays)('after $ms ms is not lost if functions crash before or after their work', async ({ ms }) => {
    given('w1');
    const wishes: number[] = [];
    const plan = (): Result => {
      if (wishes.length === 4) {
        return { kind: 'done' };
      }
      wishes.push(api.clock.now());
      return { kind: 'requeueAfter', ms };
    };
    const points: CrashPoint[] = ['before', 'after', 'after', 'before', 'after', 'before', 'after'];
    const isFresh: (event: SQSEvent) => boolean = ({ Records: records }) =>
      records.every(({ attributes }) => Number(attributes.ApproximateReceiveCount) < 3);
    const world = aWorld({ plan, crash: event => (isFresh(event) ? points.shift() : undefined) });
    await world.sendEvent(metadataOf('w1'));
    await api.clock.advance(8 * ms + 15 * minute);
    expect({ points, wishes: wishes.length }).toEqual({ points: [], wishes: 4 });
    expect(world.visits.at(-1)?.startedAt).toBeGreaterThanOrEqual((wishes.at(-1) ?? Number.NaN) + ms);
    expect({ pending: await world.pending(), dead: await world.deadLetters() }).toEqual({ pending: 0, dead: [] });
  });

  it.each(delays)('after $ms ms has a timer beside the resync: $timer', async ({ ms, timer }) => {
    given('w1');
    const world = aWorld({ plan: once({ kind: 'requeueAfter', ms }), resyncPeriodSeconds });
    await world.sendEvent(metadataOf('w1'));
    await api.clock.advance(0);
    expect((await queues.depth(delayQueue)).delayed).toBe(timer ? 1 : 0);
    await api.clock.advance(2 * ms);
    const [first = 0, ...later] = world.visits.map(({ startedAt }) => startedAt);
    const inTime = later.filter(at => at - first >= ms && at - first <= ms + Math.max(second, ms / 2));
    expect(inTime.length).toBeGreaterThan(0);
  });
});

describe('an object that requeues steadily', () => {
  const perPeriod = (world: QueueWorld, ms: number, periods: number): readonly number[] => {
    const end = api.clock.now();
    const counts = Array.from({ length: periods }, () => 0);
    for (const { startedAt } of world.visits) {
      const index = Math.floor((end - startedAt) / ms);
      if (index < periods) {
        counts[index] = (counts[index] ?? 0) + 1;
      }
    }
    return counts;
  };

  it.each([4, 10, 40, 60, 61, 100, 511].map(seconds => ({ seconds })))(
    'every $seconds s is reconciled at most twice per period once it is idle',
    async ({ seconds }) => {
      given('w1');
      const ms = seconds * second;
      const world = aWorld({ plan: () => ({ kind: 'requeueAfter', ms }), workMs: 40 });
      for (let count = 0; count < 100; count += 1) {
        await world.sendEvent({ ...metadataOf('w1'), resourceVersion: `seen-${count}` });
        await api.clock.advance(ms / 7 + count);
      }
      await api.clock.advance(5 * ms);
      await api.clock.advance(50 * ms);
      expect(Math.max(...perPeriod(world, ms, 50))).toBeLessThanOrEqual(2);
      expect(perPeriod(world, ms, 50).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(50);
      expect(await world.pending()).toBe(1);
    },
  );
});

describe('a message that always kills the function', () => {
  const crash: QueueWorldOptions['crash'] = ({ Records: records }) =>
    records.some(({ body }) => body.includes('"poison"')) ? 'before' : undefined;

  /** Five receives, after each of which the queue hides the message for three minutes. */
  const untilDead = 16 * minute;

  it('becomes a dead letter after five receives and blocks no other object', async () => {
    given('poison', 'good');
    let receives = 0;
    const world = aWorld({
      plan: () => ({ kind: 'done' }),
      crash: event => {
        const point = crash(event);
        receives += point === undefined ? 0 : 1;
        return point;
      },
    });
    await world.sendEvent(metadataOf('poison'));
    await api.clock.advance(second);
    await world.sendEvent(metadataOf('good'));
    await api.clock.advance(second);
    expect(world.visits.map(({ name }) => name)).toEqual(['good']);
    await api.clock.advance(untilDead);
    expect(receives).toBe(5);
    expect(await world.deadLetters()).toMatchObject([expect.stringContaining('"name":"poison"')]);
    expect(await world.pending()).toBe(0);
  });

  it('is reconciled by the resync', async () => {
    given('poison');
    let cured = false;
    const world = aWorld({
      plan: () => ({ kind: 'done' }),
      crash: event => (cured ? undefined : crash(event)),
      resyncPeriodSeconds,
    });
    await world.sendEvent(metadataOf('poison'));
    await api.clock.advance(untilDead);
    cured = true;
    expect((await queues.depth(deadLetterQueueOf(workQueue))).visible).toBe(1);
    expect(world.visits).toEqual([]);
    await api.clock.advance(3 * resyncPeriodSeconds * second);
    expect(world.visits[0]?.name).toBe('poison');
  });
});

describe('the resync', () => {
  it('reconciles each object at least once per two periods', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
    given(...names);
    const world = aWorld({ plan: () => ({ kind: 'done' }), resyncPeriodSeconds });
    await api.clock.advance(10 * resyncPeriodSeconds * second);
    const visitsOf = Map.groupBy(world.visits, ({ name }) => name);
    for (const name of names) {
      const starts = visitsOf.get(name)?.map(({ startedAt }) => startedAt) ?? [];
      const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
      expect(starts.length).toBeGreaterThanOrEqual(8);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * resyncPeriodSeconds * second);
    }
  });
});
