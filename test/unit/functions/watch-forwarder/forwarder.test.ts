import { describe, expect, it } from 'vitest';
import { toBucketId, toEventId } from '../../../../shared/workqueue/ids.ts';
import type { QueueDesign } from '../../../../shared/workqueue/queue-design.ts';
import { aDeclaration } from '../../../support/kernel.ts';
import { clusterDeclaration, clusterKind, infraDeclaration, infraKind, machineKind, World } from './world.ts';

const infraCrd = 'simulatedclusters.infrastructure.cluster.x-k8s.io';
const infraRef = { apiGroup: infraKind.group, kind: infraKind.kind, name: 'one' };
const ownedBy = (name: string) => ({
  ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: `uid-${name}` }],
});
const one = { namespace: 'default', name: 'one' };

/** A world in which Clusters name SimulatedClusters and the CRD of these is there. */
function aWorldWithProvider(): World {
  const world = new World({ served: [clusterKind, machineKind, infraKind] });
  world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
  return world;
}

describe('starting', () => {
  it('sends every object there is, each with an id of its own, and again after a restart', async () => {
    const world = new World();
    for (const name of ['one', 'two']) {
      world.api.put(clusterKind, { namespace: 'default', name });
    }
    const first = await world.start();
    expect(world.told()).toEqual(['default/one list uid-one@101', 'default/two list uid-two@102']);
    await first.stop();
    await world.start();
    expect(world.told().slice(2)).toEqual(['default/one list uid-one@101', 'default/two list uid-two@102']);
  });

  it('reads long lists page by page and watches from the version of the first page', async () => {
    const world = new World();
    for (let index = 0; index < 1_100; index += 1) {
      world.api.put(clusterKind, { namespace: 'default', name: `c${index}` });
    }
    await world.start();
    expect(world.api.asked.filter(asked => asked === 'list Cluster')).toHaveLength(3);
    expect(world.requests()).toHaveLength(1_100);
  });

  it('puts one watch on a kind for all reconcilers that ask for it', async () => {
    const topology = aDeclaration({ name: 'topology', primary: clusterKind });
    const world = new World({ declarations: [clusterDeclaration, topology] });
    const { forwarder } = await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.api.asked.filter(asked => asked === 'watch Cluster')).toHaveLength(1);
    expect(world.told('topology')).toEqual(world.told('cluster'));
    expect(forwarder.sources).toMatchObject([
      { name: 'Cluster.cluster.x-k8s.io', origin: 'declared', state: 'watching' },
      { name: 'Machine.cluster.x-k8s.io', origin: 'declared', state: 'watching' },
    ]);
  });

  it('follows a kind twice that is declared and that Clusters name: for different reconcilers', async () => {
    const world = new World({
      declarations: [clusterDeclaration, infraDeclaration],
      served: [clusterKind, machineKind, infraKind],
    });
    world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    const { forwarder } = await world.start();
    expect(forwarder.sources.filter(({ name }) => name.startsWith(infraKind.kind))).toMatchObject([
      { origin: 'declared', state: 'watching' },
      { origin: 'referenced', state: 'watching' },
    ]);
  });

  it('asks for whole Clusters, whose spec names kinds, and for metadata of everything else', async () => {
    const world = new World();
    await world.start();
    expect([...world.api.open].map(({ kind, as }) => `${kind} ${as}`)).toEqual(['Cluster object', 'Machine metadata']);
  });
});

describe('what went while nobody watched', () => {
  /** Lists of Machines are answered once `answer` is called. */
  function holdMachines(world: World): { readonly answer: () => void } {
    const held = Promise.withResolvers<void>();
    const { api } = world;
    const page = api.page.bind(api);
    api.page = async (query, options) => {
      const listed = await page(query, options);
      await (query.kind === 'Machine' ? held.promise : undefined);
      return listed;
    };
    return { answer: held.resolve };
  }
  const allClusters = { reconciler: 'cluster', source: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' } };

  it('before the start is seen by looks that come after all lists', async () => {
    const world = new World();
    world.api.put(clusterKind, one);
    const { answer } = holdMachines(world);
    await world.start();
    expect(world.told()).toEqual([]);
    answer();
    await world.clock.advance(0);
    expect(world.told()).toEqual(['default/one list uid-one@101']);
    expect(world.expansions()).toEqual([]);
  });

  it('of kinds that the listed Clusters name, too', async () => {
    const world = aWorldWithProvider();
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    expect(world.api.asked.filter(asked => asked === 'list SimulatedCluster')).toHaveLength(1);
    expect(world.told()).toEqual(['default/one list uid-one@101']);
    expect(world.expansions()).toEqual([]);
  });

  it('is looked for again where a list took more than 10 s', async () => {
    const world = new World();
    world.api.put(clusterKind, one);
    const { answer } = holdMachines(world);
    await world.start();
    await world.clock.advance(10_000);
    expect(world.told()).toEqual(['default/one list uid-one@101']);
    expect(world.expansions()).toEqual([]);
    answer();
    await world.clock.advance(0);
    expect(world.expansions()).toMatchObject([allClusters]);
  });

  it('is looked for where a kind could be listed only later', async () => {
    const world = new World();
    world.api.put(clusterKind, one);
    world.api.fail(machineKind, { reason: 'Forbidden', code: 403, message: 'machines is forbidden' });
    await world.start();
    expect(world.told()).toEqual(['default/one list uid-one@101']);
    world.api.fail(machineKind, undefined);
    await world.clock.advance(2_000);
    expect(world.expansions()).toMatchObject([allClusters]);
  });

  it('is looked for by all that it may have concerned, once the version to go on from is gone', async () => {
    const world = new World();
    await world.start();
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(10_000);
    world.api.endStreams();
    world.api.remove(machineKind, { namespace: 'default', name: 'm1' });
    world.api.compact();
    await world.clock.advance(10_000);
    expect(world.told()).toHaveLength(1);
    expect(world.expansions()).toMatchObject([allClusters]);
  });
});

describe('a change', () => {
  it('of a quiet object is told at once', async () => {
    const world = new World();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.told()).toEqual(['default/one event uid-one@101']);
    expect(world.requests()).toMatchObject([
      { v: 1, reconciler: 'cluster', attempt: 0, key: { managementCluster: 'mgmt', group: 'cluster.x-k8s.io' } },
    ]);
  });

  it('has an id for its version, or for the second in which it is sent, as the queue design says', async () => {
    const idsIn = async (queueDesign: QueueDesign): Promise<readonly (string | undefined)[]> => {
      const world = new World({ queueDesign });
      await world.start();
      world.api.put(clusterKind, one);
      await world.clock.advance(0);
      return world.queues.messages('work-cluster.fifo').map(({ deduplicationId }) => deduplicationId);
    };
    const key = { managementCluster: 'mgmt', group: clusterKind.group, kind: clusterKind.kind, ...one };
    expect(await idsIn('default')).toEqual([toEventId(key, ['uid-one@101'])]);
    expect(await idsIn('bucket')).toEqual([toBucketId(key, new World().clock.now())]);
  });

  it('among five within a second makes two messages, the second naming all its sources', async () => {
    const world = new World();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(100);
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    world.api.put(machineKind, { namespace: 'default', name: 'm2', ...ownedBy('one') });
    await world.clock.advance(100);
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    world.api.put(clusterKind, one);
    await world.clock.advance(700);
    expect(world.told()).toHaveLength(1);
    await world.clock.advance(100);
    expect(world.told()).toHaveLength(2);
    expect(world.told()[1]?.split(' ').toSorted()).toEqual([
      'default/one',
      'event',
      'uid-m1@104',
      'uid-m2@103',
      'uid-one@105',
    ]);
    await world.clock.advance(10_000);
    expect(world.told()).toHaveLength(2);
  });

  it('among more than twenty others is one of many, under an id of their own', async () => {
    const world = new World();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    for (let index = 0; index < 25; index += 1) {
      world.api.put(machineKind, { namespace: 'default', name: `m${index}`, ...ownedBy('one') });
    }
    await world.clock.advance(1_000);
    expect(world.requests()[1]?.sources).toHaveLength(21);
    expect(world.requests()[1]?.sources?.at(-1)).toBe('many');
  });

  it('that deletes an object is told to its owners', async () => {
    const world = new World();
    await world.start();
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(5_000);
    world.api.remove(machineKind, { namespace: 'default', name: 'm1' });
    await world.clock.advance(0);
    expect(world.told().at(-1)).toBe('default/one event uid-m1@102');
  });

  it('that deletes an object and shows no version is told under an id of its own', async () => {
    const world = new World();
    await world.start();
    for (let time = 0; time < 2; time += 1) {
      const metadata = { ...one, uid: 'uid-one', resourceVersion: '' };
      const object = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata };
      world.api.show(clusterKind, { type: 'DELETED', object });
      await world.clock.advance(2_000);
    }
    expect(world.told()).toEqual(['default/one deletion ', 'default/one deletion ']);
  });

  it('of an object that maps to nobody is counted and nothing else', async () => {
    const world = new World({
      declarations: [{ ...clusterDeclaration, watches: [{ source: machineKind, as: 'metadata', map: () => [] }] }],
    });
    await world.start();
    world.api.put(machineKind, one);
    await world.clock.advance(2_000);
    expect(world.told()).toEqual([]);
    expect(world.counted('capi_serverless_dropped_source_events_total', { reason: 'no target' })).toBe(1);
  });

  it('of an object of another watch filter is dropped', async () => {
    const world = new World({ watchFilter: 'blue' });
    await world.start();
    world.api.put(clusterKind, { ...one, name: 'red', labels: { 'cluster.x-k8s.io/watch-filter': 'red' } });
    world.api.put(clusterKind, { ...one, name: 'none' });
    world.api.put(clusterKind, { ...one, name: 'blue', labels: { 'cluster.x-k8s.io/watch-filter': 'blue' } });
    await world.clock.advance(0);
    expect(world.told()).toEqual(['default/blue event uid-blue@103']);
    expect(world.counted('capi_serverless_dropped_source_events_total', { reason: 'watch filter' })).toBe(2);
  });
});

describe('many changes', () => {
  it('at once are all told, in as few calls as batches allow', async () => {
    const world = new World({
      declarations: [clusterDeclaration, infraDeclaration],
      served: [clusterKind, machineKind, infraKind],
    });
    await world.start();
    for (let index = 0; index < 200; index += 1) {
      world.api.put(clusterKind, { namespace: 'default', name: `c${index}` });
      world.api.put(infraKind, { namespace: 'default', name: `c${index}` });
    }
    await world.clock.advance(0);
    expect(new Set(world.told('cluster')).size).toBe(200);
    expect(new Set(world.told('simulated-cluster')).size).toBe(200);
    expect(world.send.calls).toBeLessThanOrEqual(40);
  });
});

describe('a stream', () => {
  it('that ends goes on from the last version seen, and shows nothing twice', async () => {
    const world = new World();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(10_000);
    world.api.endStreams();
    world.api.put(clusterKind, one);
    await world.clock.advance(10_000);
    expect(world.told()).toEqual(['default/one event uid-one@101', 'default/one event uid-one@102']);
    expect(world.api.asked.filter(asked => asked === 'list Cluster')).toHaveLength(1);
  });

  it('that ends goes on from a bookmark where no change was seen', async () => {
    const world = new World();
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

  it('whose version is gone lists again and sends all objects', async () => {
    const world = new World();
    await world.start();
    world.api.put(clusterKind, one);
    world.api.put(clusterKind, { ...one, name: 'two' });
    await world.clock.advance(10_000);
    world.api.put(clusterKind, one);
    world.api.compact();
    world.api.endStreams();
    await world.clock.advance(10_000);
    expect(world.told().slice(2).toSorted()).toEqual(['default/one list uid-one@103', 'default/two list uid-two@102']);
    expect(world.counted('capi_serverless_source_lists_total', { source: 'Cluster.cluster.x-k8s.io' })).toBe(2);
  });

  it('whose version is gone each time lists with growing gaps', async () => {
    const world = new World();
    await world.start();
    world.api.fail(clusterKind, { reason: 'Gone', code: 410, message: 'too old' });
    world.api.endStreams();
    await world.clock.advance(60_000);
    const lists = world.api.asked.filter(asked => asked === 'list Cluster').length;
    expect(lists).toBeGreaterThan(3);
    expect(lists).toBeLessThan(12);
  });

  it('that ends as soon as it begins is opened with growing gaps', async () => {
    const world = new World();
    await world.start();
    for (let end = 0; end < 40; end += 1) {
      world.api.endStreams();
      await world.clock.advance(1_000);
    }
    expect(world.api.asked.filter(asked => asked === 'watch Cluster').length).toBeLessThan(12);
    await world.clock.advance(30_000);
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.told()).toEqual(['default/one event uid-one@101']);
  });

  it('that fails is tried again with growing gaps, logged, while others go on', async () => {
    const world = new World();
    const { forwarder } = await world.start();
    await world.clock.advance(10_000);
    world.api.fail(clusterKind, { reason: 'Forbidden', code: 403, message: 'clusters is forbidden' });
    world.api.endStreams();
    await world.clock.advance(60_000);
    const failures = world.log.lines.filter(
      line => line.message === 'Following a kind failed' && line['source'] === 'Cluster.cluster.x-k8s.io',
    );
    expect(failures.map(line => line['retryAfterMs']).slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    expect(failures.length).toBeLessThan(10);
    expect(failures[0]).toMatchObject({ error: 'clusters is forbidden', reason: 'Forbidden' });
    expect(forwarder.sources[0]?.state).toBe('failing');
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(0);
    expect(world.told()).toEqual(['default/one event uid-m1@101']);
    world.api.fail(clusterKind, undefined);
    world.api.put(clusterKind, { ...one, name: 'two' });
    await world.clock.advance(30_000);
    expect(world.told()).toContain('default/two event uid-two@102');
    expect(forwarder.sources[0]?.state).toBe('watching');
  });
});

describe('a client that throws', () => {
  it('is a failure like any other: logged and tried again', async () => {
    const world = new World();
    world.api.put(clusterKind, one);
    const page = world.api.page.bind(world.api);
    world.api.page = () => Promise.reject(new Error('Socket closed'));
    await world.start();
    expect(world.log.lines[0]).toMatchObject({ error: 'Socket closed', reason: 'Unavailable', retryAfterMs: 500 });
    world.api.page = page;
    await world.clock.advance(1_000);
    expect(world.told()).toEqual(['default/one list uid-one@101']);
  });
});

describe('a kind', () => {
  it('that the API server does not serve is waited for, without disturbing the others', async () => {
    const world = new World({ served: [clusterKind] });
    const { forwarder } = await world.start();
    await world.clock.advance(60_000);
    expect(world.api.asked.filter(asked => asked === 'list Machine')).toHaveLength(7);
    expect(world.log.lines.filter(line => line['source'] === 'Machine.cluster.x-k8s.io')).toHaveLength(1);
    expect(forwarder.sources[1]).toMatchObject({ state: 'missing', isListed: false, heardAt: world.clock.now() });
    world.api.serve(machineKind);
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(10_000);
    expect(world.told()).toEqual(['default/one list uid-m1@101']);
    expect(forwarder.sources[1]?.state).toBe('watching');
  });

  it('that a Cluster names is watched from then on, once, in the version of its CRD labels', async () => {
    const world = aWorldWithProvider();
    await world.start();
    expect(world.api.asked).not.toContain('list SimulatedCluster');
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    world.api.put(clusterKind, { ...one, name: 'two' }, { spec: { infrastructureRef: infraRef } });
    await world.clock.advance(5_000);
    world.api.put(infraKind, { ...one, ...ownedBy('one') });
    await world.clock.advance(0);
    expect(world.api.asked.filter(asked => asked.endsWith('SimulatedCluster'))).toEqual([
      'list SimulatedCluster',
      'watch SimulatedCluster',
    ]);
    expect(world.api.asked).toContain(`crd ${infraCrd}`);
    expect(world.told().at(-1)).toBe('default/one event uid-one@103');
    expect([...world.api.open].at(-1)).toMatchObject({ apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2' });
  });

  it('that a Cluster names while its CRD is missing is watched when the CRD is there', async () => {
    const world = new World();
    world.api.put(clusterKind, one, { spec: { controlPlaneRef: infraRef } });
    await world.start();
    await world.clock.advance(30_000);
    world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta1': 'v1beta2' });
    world.api.serve(infraKind);
    world.api.put(infraKind, { ...one, ...ownedBy('one') });
    await world.clock.advance(10_000);
    expect(world.told().at(-1)).toBe('default/one list uid-one@102');
  });

  it('that has moved to another version is watched there', async () => {
    const world = aWorldWithProvider();
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    const moved = { ...infraKind, version: 'v1beta3' };
    world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta3' });
    world.api.serve(moved);
    world.api.fail(infraKind, { reason: 'NotFound', code: 404, message: '404 page not found' });
    world.api.endStreams();
    world.api.put(moved, { ...one, ...ownedBy('one') });
    await world.clock.advance(20_000);
    expect(world.told().at(-1)).toBe('default/one list uid-one@102');
  });

  it('without contract labels is asked for again, and the reason logged', async () => {
    const world = new World();
    world.crdLabels.set(infraCrd, {});
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    await world.clock.advance(60_000);
    const failures = world.log.lines.filter(line => line.level === 'error');
    expect(failures[0]?.['error']).toContain(`for CRD ${infraCrd}`);
    expect(failures.length).toBeLessThan(10);
  });

  it('named by a Cluster of another watch filter is not watched', async () => {
    const world = new World({ watchFilter: 'blue' });
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    expect(world.api.asked).not.toContain(`crd ${infraCrd}`);
  });

  it('is refused beyond a hundred that Clusters name', async () => {
    const world = new World();
    for (let index = 0; index < 110; index += 1) {
      const ref = { ...infraRef, kind: `Kind${index}` };
      world.api.put(clusterKind, { ...one, name: `c${index}` }, { spec: { infrastructureRef: ref } });
    }
    const { forwarder } = await world.start();
    expect(forwarder.sources.filter(({ origin }) => origin === 'referenced')).toHaveLength(100);
    expect(world.log.lines.filter(line => line.message.startsWith('Refusing'))).toHaveLength(10);
  });
});

describe('a provider object', () => {
  async function aRunningWorld(): Promise<World> {
    const world = aWorldWithProvider();
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    await world.clock.advance(5_000);
    return world;
  }

  it('without an owner becomes an order to look its Clusters up', async () => {
    const world = await aRunningWorld();
    world.api.put(infraKind, one);
    await world.clock.advance(0);
    expect(world.expansions()).toMatchObject([
      {
        reconciler: 'cluster',
        source: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'SimulatedCluster', ...one },
      },
    ]);
  });

  it('without an owner is debounced like any other', async () => {
    const world = await aRunningWorld();
    for (let change = 0; change < 5; change += 1) {
      world.api.put(infraKind, one);
      await world.clock.advance(100);
    }
    await world.clock.advance(5_000);
    expect(world.expansions()).toHaveLength(2);
  });

  it('that is paused wakes nobody', async () => {
    const world = await aRunningWorld();
    world.api.put(infraKind, { ...one, ...ownedBy('one'), annotations: { 'cluster.x-k8s.io/paused': '' } });
    await world.clock.advance(5_000);
    expect(world.told()).toHaveLength(1);
    expect(world.counted('capi_serverless_dropped_source_events_total', { reason: 'paused' })).toBe(1);
  });

  it('needs no watch-filter label', async () => {
    const world = new World({ watchFilter: 'blue', served: [clusterKind, machineKind, infraKind] });
    world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
    const labels = { 'cluster.x-k8s.io/watch-filter': 'blue' };
    world.api.put(clusterKind, { ...one, labels }, { spec: { infrastructureRef: infraRef } });
    await world.start();
    world.api.put(infraKind, { ...one, ...ownedBy('one') });
    await world.clock.advance(2_000);
    expect(world.told().at(-1)).toBe('default/one event uid-one@102');
  });
});

describe('a queue out of reach', () => {
  it('loses nothing: what is pending merges per object and goes out when the queue is back', async () => {
    const world = new World();
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
    expect(world.told().toSorted()).toEqual([
      'default/c0 event uid-c0@156',
      'default/c1 event uid-c1@158',
      'default/c2 event uid-c2@160',
      'default/one event uid-one@159',
    ]);
    expect(forwarder.pending).toBe(0);
  });

  it('does not hold up the other queues', async () => {
    const topology = aDeclaration({ name: 'topology', primary: clusterKind });
    const world = new World({ declarations: [clusterDeclaration, topology] });
    await world.start();
    world.send.outage = new Set(['work-cluster.fifo']);
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.told('topology')).toHaveLength(1);
  });
});

describe('a broken object', () => {
  const broken = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: null };

  it('is logged and counted, and stops nothing else', async () => {
    const world = new World();
    await world.start();
    // The server's answer is not validated object by object, so this can arrive despite the type.
    world.api.show(clusterKind, { type: 'MODIFIED', object: broken as never });
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.told()).toEqual(['default/one event uid-one@102']);
    expect(world.counted('capi_serverless_broken_source_events_total')).toBe(1);
    expect(world.log.lines.some(line => line.message === 'Reading a change failed')).toBe(true);
  });

  it('or mapping of one reconciler leaves the other reconcilers their message', async () => {
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
    const world = new World({ declarations: [careless, clusterDeclaration] });
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.told('cluster')).toEqual(['default/one event uid-one@101']);
    expect(world.log.lines.find(line => line.level === 'error')).toMatchObject({
      error: 'Labels are missing',
      reconciler: 'careless',
      name: 'one',
    });
  });
});

describe('stopping', () => {
  it('sends what is pending before it ends', async () => {
    const world = new World();
    const { forwarder, stop } = await world.start();
    for (let change = 0; change < 3; change += 1) {
      world.api.put(clusterKind, one);
      await world.clock.advance(10);
    }
    expect(world.told()).toHaveLength(1);
    await stop();
    expect(world.told()).toHaveLength(2);
    expect(forwarder.pending).toBe(0);
    expect(world.api.open.size).toBe(0);
    expect(world.clock.sleepers).toBe(0);
  });

  it('gives up on a queue that stays out of reach, and says so', async () => {
    const world = new World();
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
