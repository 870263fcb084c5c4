import { answered } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { toEventId } from '../../../../shared/workqueue/ids.ts';
import { aDeclaration } from '../../../support/kernel.ts';
import { aWorldWithProvider, infraCrd, infraRef, one, ownedBy } from './provider-kind.ts';
import {
  clusterDeclaration,
  clusterKind,
  infraDeclaration,
  infraKind,
  machineKind,
  WatchForwarderWorld,
} from './stepped-forwarder.ts';

describe('starting', () => {
  it('sends every existing object with a unique id, and again after a restart', async () => {
    const world = new WatchForwarderWorld();
    for (const name of ['one', 'two']) {
      world.api.put(clusterKind, { namespace: 'default', name });
    }
    const first = await world.start();
    expect(world.requestTexts()).toEqual(['default/one list uid-one@101', 'default/two list uid-two@102']);
    await first.stop();
    await world.start();
    expect(world.requestTexts().slice(2)).toEqual(['default/one list uid-one@101', 'default/two list uid-two@102']);
  });

  it('watches from the version of the first page, because later pages may be newer', async () => {
    const world = new WatchForwarderWorld();
    for (let index = 0; index < 600; index += 1) {
      world.api.put(clusterKind, { namespace: 'default', name: `c${index}` });
    }
    const page = world.api.page.bind(world.api);
    world.api.page = async (query, options) => {
      const answer = await page(query, options);
      if (!answer.ok || options.continue === undefined) {
        return answer;
      }
      // The token has expired, so the server answers with its current state, in which a listed object has changed.
      world.api.put(clusterKind, { namespace: 'default', name: 'c0' });
      return answered({ ...answer.value, resourceVersion: '701' });
    };
    await world.start();
    await world.clock.advance(10_000);
    expect(world.requestTexts().filter(text => text.startsWith('default/c0 '))).toEqual(['default/c0 list uid-c0@701']);
  });

  it('reads long lists page by page', async () => {
    const world = new WatchForwarderWorld();
    for (let index = 0; index < 1_100; index += 1) {
      world.api.put(clusterKind, { namespace: 'default', name: `c${index}` });
    }
    await world.start();
    expect(world.api.asked.filter(asked => asked === 'list Cluster')).toHaveLength(3);
    expect(world.requests()).toHaveLength(1_100);
  });

  it('opens one watch per kind, shared by all reconcilers', async () => {
    const topology = aDeclaration({ name: 'topology', primary: clusterKind });
    const world = new WatchForwarderWorld({ declarations: [clusterDeclaration, topology] });
    const { forwarder } = await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.api.asked.filter(asked => asked === 'watch Cluster')).toHaveLength(1);
    expect(world.requestTexts('topology')).toEqual(world.requestTexts('cluster'));
    expect(forwarder.sources).toMatchObject([
      { name: 'Cluster.cluster.x-k8s.io', origin: 'declared', state: 'watching' },
      { name: 'Machine.cluster.x-k8s.io', origin: 'declared', state: 'watching' },
    ]);
  });

  it('follows a declared kind that Clusters also reference twice, for different reconcilers', async () => {
    const world = new WatchForwarderWorld({
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

  it('watches whole Clusters, whose spec references kinds, and metadata of everything else', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    expect([...world.api.open].map(({ kind, as }) => `${kind} ${as}`)).toEqual(['Cluster object', 'Machine metadata']);
  });
});

describe('a deletion that no watch saw', () => {
  /** Lists of Machines are answered once `answer` is called. */
  function holdMachines(world: WatchForwarderWorld): { readonly answer: () => void } {
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

  it('before the start is covered by requests that follow all lists', async () => {
    const world = new WatchForwarderWorld();
    world.api.put(clusterKind, one);
    const { answer } = holdMachines(world);
    await world.start();
    expect(world.requestTexts()).toEqual([]);
    answer();
    await world.clock.advance(0);
    expect(world.requestTexts()).toEqual(['default/one list uid-one@101']);
    expect(world.expansions()).toEqual([]);
  });

  it('is covered for kinds that the listed Clusters reference', async () => {
    const world = aWorldWithProvider();
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    expect(world.api.asked.filter(asked => asked === 'list SimulatedCluster')).toHaveLength(1);
    expect(world.requestTexts()).toEqual(['default/one list uid-one@101']);
    expect(world.expansions()).toEqual([]);
  });

  it('causes an expansion if a list took more than 10 s', async () => {
    const world = new WatchForwarderWorld();
    world.api.put(clusterKind, one);
    const { answer } = holdMachines(world);
    await world.start();
    await world.clock.advance(10_000);
    expect(world.requestTexts()).toEqual(['default/one list uid-one@101']);
    expect(world.expansions()).toEqual([]);
    answer();
    await world.clock.advance(0);
    expect(world.expansions()).toMatchObject([allClusters]);
  });

  it('causes an expansion if a kind could be listed only later', async () => {
    const world = new WatchForwarderWorld();
    world.api.put(clusterKind, one);
    world.api.fail(machineKind, { reason: 'Forbidden', code: 403, message: 'machines is forbidden' });
    await world.start();
    expect(world.requestTexts()).toEqual(['default/one list uid-one@101']);
    world.api.fail(machineKind, undefined);
    await world.clock.advance(2_000);
    expect(world.expansions()).toMatchObject([allClusters]);
  });

  it('causes an expansion for all its watches if the version has expired', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(10_000);
    world.api.endStreams();
    world.api.remove(machineKind, { namespace: 'default', name: 'm1' });
    world.api.compact();
    await world.clock.advance(10_000);
    expect(world.requestTexts()).toHaveLength(1);
    expect(world.expansions()).toMatchObject([allClusters]);
  });
});

describe('a change', () => {
  it('of an idle object is sent immediately', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    expect(world.requestTexts()).toEqual(['default/one event uid-one@101']);
    expect(world.requests()).toMatchObject([
      { v: 1, reconciler: 'cluster', attempt: 0, key: { managementCluster: 'mgmt', group: 'cluster.x-k8s.io' } },
    ]);
  });

  it('gets an id of its version', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    const key = { managementCluster: 'mgmt', group: clusterKind.group, kind: clusterKind.kind, ...one };
    const ids = world.queues.messages('work-cluster.fifo').map(({ deduplicationId }) => deduplicationId);
    expect(ids).toEqual([toEventId({ reconciler: 'cluster', key }, ['uid-one@101'])]);
  });

  it('five changes within a second produce two messages, and the second lists all its sources', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(100);
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    world.api.put(machineKind, { namespace: 'default', name: 'm2', ...ownedBy('one') });
    await world.clock.advance(100);
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    world.api.put(clusterKind, one);
    await world.clock.advance(700);
    expect(world.requestTexts()).toHaveLength(1);
    await world.clock.advance(100);
    expect(world.requestTexts()).toHaveLength(2);
    expect(world.requestTexts()[1]?.split(' ').toSorted()).toEqual([
      'default/one',
      'event',
      'uid-m1@104',
      'uid-m2@103',
      'uid-one@105',
    ]);
    await world.clock.advance(10_000);
    expect(world.requestTexts()).toHaveLength(2);
  });

  it('among more than twenty others is merged under a unique id', async () => {
    const world = new WatchForwarderWorld();
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

  it('that deletes an object enqueues its owners', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(5_000);
    world.api.remove(machineKind, { namespace: 'default', name: 'm1' });
    await world.clock.advance(0);
    expect(world.requestTexts().at(-1)).toBe('default/one event uid-m1@102');
  });

  it('that deletes an object without a version gets a unique id', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    for (let time = 0; time < 2; time += 1) {
      const metadata = { ...one, uid: 'uid-one', resourceVersion: '' };
      const object = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata };
      world.api.show(clusterKind, { type: 'DELETED', object });
      await world.clock.advance(2_000);
    }
    expect(world.requestTexts()).toEqual(['default/one deletion ', 'default/one deletion ']);
  });

  it('of an object that maps to no reconciler is only counted', async () => {
    const world = new WatchForwarderWorld({
      declarations: [{ ...clusterDeclaration, watches: [{ source: machineKind, as: 'metadata', map: () => [] }] }],
    });
    await world.start();
    world.api.put(machineKind, one);
    await world.clock.advance(2_000);
    expect(world.requestTexts()).toEqual([]);
    expect(world.counted('capi_serverless_dropped_source_events_total', { reason: 'no target' })).toBe(1);
  });

  it('of an object of another watch filter is dropped', async () => {
    const world = new WatchForwarderWorld({ watchFilter: 'blue' });
    await world.start();
    world.api.put(clusterKind, { ...one, name: 'red', labels: { 'cluster.x-k8s.io/watch-filter': 'red' } });
    world.api.put(clusterKind, { ...one, name: 'none' });
    world.api.put(clusterKind, { ...one, name: 'blue', labels: { 'cluster.x-k8s.io/watch-filter': 'blue' } });
    await world.clock.advance(0);
    expect(world.requestTexts()).toEqual(['default/blue event uid-blue@103']);
    expect(world.counted('capi_serverless_dropped_source_events_total', { reason: 'watch filter' })).toBe(2);
  });
});

describe('many changes', () => {
  it('at once are sent in as few calls as batches allow', async () => {
    const world = new WatchForwarderWorld({
      declarations: [clusterDeclaration, infraDeclaration],
      served: [clusterKind, machineKind, infraKind],
    });
    await world.start();
    for (let index = 0; index < 200; index += 1) {
      world.api.put(clusterKind, { namespace: 'default', name: `c${index}` });
      world.api.put(infraKind, { namespace: 'default', name: `c${index}` });
    }
    await world.clock.advance(0);
    expect(new Set(world.requestTexts('cluster')).size).toBe(200);
    expect(new Set(world.requestTexts('simulated-cluster')).size).toBe(200);
    expect(world.send.calls).toBeLessThanOrEqual(40);
  });
});
