// The forwarder during failures of streams, clients, the queue or objects, and during its shutdown.
import { describe, expect, it } from 'vitest';
import { aDeclaration } from '../../../support/kernel.ts';
import { one, ownedBy } from './provider-kind.ts';
import { clusterDeclaration, clusterKind, infraKind, machineKind, WatchForwarderWorld } from './stepped-forwarder.ts';

describe('a stream', () => {
  it('that ends resumes from the last version, and repeats nothing', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(10_000);
    world.api.endStreams();
    world.api.put(clusterKind, one);
    await world.clock.advance(10_000);
    expect(world.requestTexts()).toEqual(['default/one event uid-one@101', 'default/one event uid-one@102']);
    expect(world.api.asked.filter(asked => asked === 'list Cluster')).toHaveLength(1);
  });

  it('that ends resumes from a bookmark if there was no change', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    world.api.compact();
    world.api.bookmark(clusterKind);
    world.api.bookmark(machineKind);
    await world.clock.advance(10_000);
    world.api.endStreams();
    await world.clock.advance(1_000);
    expect(world.api.asked.filter(asked => asked === 'list Cluster')).toHaveLength(1);
  });

  it('whose version has expired lists again and sends all objects', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(clusterKind, one);
    world.api.put(clusterKind, { ...one, name: 'two' });
    await world.clock.advance(10_000);
    world.api.put(clusterKind, one);
    world.api.compact();
    world.api.endStreams();
    await world.clock.advance(10_000);
    expect(world.requestTexts().slice(2).toSorted()).toEqual([
      'default/one list uid-one@103',
      'default/two list uid-two@102',
    ]);
    expect(world.counted('capi_serverless_source_lists_total', { source: 'Cluster.cluster.x-k8s.io' })).toBe(2);
  });

  it('whose version always expires lists with growing gaps', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.fail(clusterKind, { reason: 'Gone', code: 410, message: 'too old' });
    world.api.endStreams();
    await world.clock.advance(60_000);
    const lists = world.api.asked.filter(asked => asked === 'list Cluster').length;
    expect(lists).toBeGreaterThan(3);
    expect(lists).toBeLessThan(12);
  });

  it('that always ends at once is opened with growing gaps', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    for (let end = 0; end < 40; end += 1) {
      world.api.endStreams();
      await world.clock.advance(1_000);
    }
    expect(world.api.asked.filter(asked => asked === 'watch Cluster').length).toBeLessThan(12);
    await world.clock.advance(30_000);
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.requestTexts()).toEqual(['default/one event uid-one@101']);
  });

  it('that is interrupted once logs no error', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    await world.clock.advance(10_000);
    world.api.fail(clusterKind, { reason: 'Unavailable', code: 503, message: 'the CRD was changed' });
    world.api.endStreams();
    await world.clock.advance(499);
    world.api.fail(clusterKind, undefined);
    await world.clock.advance(10_000);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({ message: 'Following a kind was interrupted', answer: 'the CRD was changed' }),
    );
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.requestTexts()).toEqual(['default/one event uid-one@101']);
  });

  it('that fails is retried with growing gaps and logged, while others continue', async () => {
    const world = new WatchForwarderWorld();
    const { forwarder } = await world.start();
    await world.clock.advance(10_000);
    world.api.fail(clusterKind, { reason: 'Forbidden', code: 403, message: 'clusters is forbidden' });
    world.api.endStreams();
    await world.clock.advance(60_000);
    const failures = world.log.lines.filter(
      line => line.message === 'Following a kind failed' && line['source'] === 'Cluster.cluster.x-k8s.io',
    );
    expect(failures.map(line => line['retryAfterMs']).slice(0, 3)).toEqual([1_000, 2_000, 4_000]);
    expect(failures.length).toBeLessThan(10);
    expect(failures[0]).toMatchObject({ error: 'clusters is forbidden', reason: 'Forbidden' });
    expect(forwarder.sources[0]?.state).toBe('failing');
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(0);
    expect(world.requestTexts()).toEqual(['default/one event uid-m1@101']);
    world.api.fail(clusterKind, undefined);
    world.api.put(clusterKind, { ...one, name: 'two' });
    await world.clock.advance(30_000);
    expect(world.requestTexts()).toContain('default/two event uid-two@102');
    expect(forwarder.sources[0]?.state).toBe('watching');
  });
});

describe('a client that throws', () => {
  it('counts as a failure: logged and retried', async () => {
    const world = new WatchForwarderWorld();
    world.api.put(clusterKind, one);
    const page = world.api.page.bind(world.api);
    world.api.page = () => Promise.reject(new Error('Socket closed'));
    await world.start();
    expect(world.log.lines[0]).toMatchObject({ error: 'Socket closed', reason: 'Unavailable', retryAfterMs: 500 });
    world.api.page = page;
    await world.clock.advance(1_000);
    expect(world.requestTexts()).toEqual(['default/one list uid-one@101']);
  });
});

describe('an unreachable queue', () => {
  it('loses nothing: pending messages merge per object and are sent when the queue is back', async () => {
    const world = new WatchForwarderWorld();
    const { forwarder } = await world.start();
    world.send.outage = new Set(['work-cluster.fifo']);
    for (let round = 0; round < 30; round += 1) {
      world.api.put(clusterKind, one);
      world.api.put(clusterKind, { ...one, name: `c${round % 3}` });
      await world.clock.advance(1_000);
    }
    expect(forwarder.pending).toBe(4);
    expect(world.log.lines.filter(line => line.level === 'error').length).toBeLessThan(12);
    world.send.outage = new Set();
    await world.clock.advance(30_000);
    expect(world.requestTexts().toSorted()).toEqual([
      'default/c0 event uid-c0@156',
      'default/c1 event uid-c1@158',
      'default/c2 event uid-c2@160',
      'default/one event uid-one@159',
    ]);
    expect(forwarder.pending).toBe(0);
  });

  it('does not block the other queues', async () => {
    const topology = aDeclaration({ name: 'topology', primary: clusterKind });
    const world = new WatchForwarderWorld({ declarations: [clusterDeclaration, topology] });
    await world.start();
    world.send.outage = new Set(['work-cluster.fifo']);
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.requestTexts('topology')).toHaveLength(1);
  });
});

describe('a broken object', () => {
  const broken = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: null };

  it('is logged and counted, and does not stop the others', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    // The client does not validate the objects of an answer, so this object is possible despite its type.
    world.api.show(clusterKind, { type: 'MODIFIED', object: broken as never });
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.requestTexts()).toEqual(['default/one event uid-one@102']);
    expect(world.counted('capi_serverless_broken_source_events_total')).toBe(1);
    expect(world.log.lines.some(line => line.message === 'Reading a change failed')).toBe(true);
  });

  it('or a throwing mapping of one reconciler does not affect the messages of others', async () => {
    const careless = aDeclaration({
      name: 'careless',
      primary: infraKind,
      watches: [
        {
          source: clusterKind,
          as: 'metadata',
          map: () => {
            throw new Error('Labels are missing');
          },
        },
      ],
    });
    const world = new WatchForwarderWorld({ declarations: [careless, clusterDeclaration] });
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.requestTexts('cluster')).toEqual(['default/one event uid-one@101']);
    expect(world.log.lines.find(line => line.level === 'error')).toMatchObject({
      error: 'Labels are missing',
      reconciler: 'careless',
      name: 'one',
    });
  });
});

describe('stopping', () => {
  it('sends pending messages before it ends', async () => {
    const world = new WatchForwarderWorld();
    const { forwarder, stop } = await world.start();
    for (let change = 0; change < 3; change += 1) {
      world.api.put(clusterKind, one);
      await world.clock.advance(10);
    }
    expect(world.requestTexts()).toHaveLength(1);
    await stop();
    expect(world.requestTexts()).toHaveLength(2);
    expect(forwarder.pending).toBe(0);
    expect(world.api.open.size).toBe(0);
    expect(world.clock.sleepers).toBe(0);
  });

  it('gives up on a queue that stays unreachable, and logs it', async () => {
    const world = new WatchForwarderWorld();
    const { stop } = await world.start();
    world.send.outage = new Set(['work-cluster.fifo']);
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    const before = world.clock.now();
    await stop();
    expect(world.clock.now() - before).toBeLessThanOrEqual(11_000);
    expect(world.log.lines.at(-1)).toMatchObject({ message: 'Stopping with messages unsent', messages: 1 });
  });
});
