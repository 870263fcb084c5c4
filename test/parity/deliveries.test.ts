import type { WatchEvent } from '@capi-serverless/apimachinery';
import { afterEach, expect, it, vi } from 'vitest';
import { Scheduler } from '../simulation/engine/scheduler.ts';
import { Deliveries } from './deliveries.ts';

const clusters = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };

afterEach(() => {
  vi.useRealTimers();
});

/** A watch whose events the test sends. Its consumer reads immediately. */
function aWatch(deliveries: Deliveries, from: string) {
  const { readable, writable } = new TransformStream<WatchEvent, WatchEvent>();
  const writer = writable.getWriter();
  void readAll(deliveries.follow(clusters, from, readable));
  return {
    send: (resourceVersion: string) => void writer.write({ type: 'BOOKMARK', resourceVersion }),
    remove: (name: string, resourceVersion: string) => {
      const metadata = { name, namespace: 'ns', uid: name, resourceVersion };
      void writer.write({ type: 'DELETED', object: { ...clusters, metadata } });
    },
    end: () => void writer.close(),
  };
}

async function readAll(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) {
    // The consumer requests the next event immediately.
  }
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  await new Promise(resolve => setImmediate(resolve));
  return (await Promise.race([promise, pending])) === pending;
}

it('waits until every open watch of the kind has delivered the version', async () => {
  const deliveries = new Deliveries();
  const [first, second] = [aWatch(deliveries, '5'), aWatch(deliveries, '7')];
  const delivered = deliveries.until(clusters, 7);
  expect(await isPending(delivered)).toBe(true);
  first.send('6');
  expect(await isPending(delivered)).toBe(true);
  first.send('7');
  expect(await isPending(delivered)).toBe(false);
  const later = deliveries.until(clusters, 8);
  first.send('8');
  expect(await isPending(later)).toBe(true);
  second.end();
  expect(await isPending(later)).toBe(false);
});

it('waits until a new watch has delivered the known version', async () => {
  const deliveries = new Deliveries();
  aWatch(deliveries, '1').send('9');
  await new Promise(resolve => setImmediate(resolve));
  const late = aWatch(deliveries, '4');
  const caughtUp = deliveries.until(clusters);
  expect(await isPending(caughtUp)).toBe(true);
  late.send('9');
  expect(await isPending(caughtUp)).toBe(false);
});

it('ignores watches of other kinds', async () => {
  const deliveries = new Deliveries();
  aWatch(deliveries, '1');
  expect(await isPending(deliveries.until({ ...clusters, kind: 'Machine' }, 9))).toBe(false);
});

it('waits until every open watch of the kind has delivered another removal of the object', async () => {
  const deliveries = new Deliveries();
  const [first, second] = [aWatch(deliveries, '5'), aWatch(deliveries, '5')];
  first.remove('c1', '6');
  await new Promise(resolve => setImmediate(resolve));
  const removed = deliveries.removalOf({ ...clusters, namespace: 'ns', name: 'c1' })();
  second.remove('c1', '6');
  first.remove('c2', '7');
  expect(await isPending(removed)).toBe(true);
  first.remove('c1', '8');
  expect(await isPending(removed)).toBe(false);
  const again = deliveries.removalOf({ ...clusters, namespace: 'ns', name: 'c1' })();
  first.remove('c1', '9');
  expect(await isPending(again)).toBe(true);
  second.end();
  expect(await isPending(again)).toBe(false);
  const unwatched = deliveries.removalOf({ ...clusters, kind: 'Machine', namespace: 'ns', name: 'c1' })();
  expect(await isPending(unwatched)).toBe(false);
});

it('reports a watch that does not deliver', async () => {
  vi.useFakeTimers();
  const deliveries = new Deliveries();
  aWatch(deliveries, '1');
  const delivered = deliveries.until(clusters, 2);
  await vi.runAllTimersAsync();
  await delivered;
  expect(deliveries.problems).toEqual(['Waited 300000 ms for version 2 of Cluster.cluster.x-k8s.io in all watches']);
});

it('does not advance virtual time until the held work ends', async () => {
  const scheduler = new Scheduler(0);
  const order: string[] = [];
  scheduler.after(1, () => {
    const work = new Promise(resolve => setTimeout(resolve, 1)).then(() => order.push('work'));
    void scheduler.hold(work);
  });
  scheduler.after(2, () => order.push('next step'));
  await scheduler.run(() => false);
  expect(order).toEqual(['work', 'next step']);
});
