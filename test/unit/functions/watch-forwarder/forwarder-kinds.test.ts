// Kinds that the forwarder starts and stops watching, and objects of providers.
import { describe, expect, it } from 'vitest';
import { aWorldWithProvider, infraCrd, infraRef, one, ownedBy } from './provider-kind.ts';
import { clusterKind, infraKind, machineKind, WatchForwarderWorld } from './stepped-forwarder.ts';

describe('a kind', () => {
  it('that the API server does not serve is retried without affecting the others', async () => {
    const world = new WatchForwarderWorld({ served: [clusterKind] });
    const { forwarder } = await world.start();
    await world.clock.advance(60_000);
    expect(world.api.asked.filter(asked => asked === 'list Machine')).toHaveLength(7);
    expect(world.log.lines.filter(line => line['source'] === 'Machine.cluster.x-k8s.io')).toHaveLength(1);
    expect(forwarder.sources[1]).toMatchObject({
      state: 'missing',
      isListed: false,
      lastActivityAt: world.clock.now(),
    });
    world.api.serve(machineKind);
    world.api.put(machineKind, { namespace: 'default', name: 'm1', ...ownedBy('one') });
    await world.clock.advance(10_000);
    expect(world.requestTexts()).toEqual(['default/one list uid-m1@101']);
    expect(forwarder.sources[1]?.state).toBe('watching');
  });

  it('that a Cluster references is watched from then on, once, in the version of its CRD labels', async () => {
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
    expect(world.requestTexts().at(-1)).toBe('default/one event uid-one@103');
    expect([...world.api.open].at(-1)).toMatchObject({ apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2' });
  });

  it('that a Cluster references while its CRD is missing is watched once the CRD exists', async () => {
    const world = new WatchForwarderWorld();
    world.api.put(clusterKind, one, { spec: { controlPlaneRef: infraRef } });
    await world.start();
    await world.clock.advance(30_000);
    world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta1': 'v1beta2' });
    world.api.serve(infraKind);
    world.api.put(infraKind, { ...one, ...ownedBy('one') });
    await world.clock.advance(10_000);
    expect(world.requestTexts().at(-1)).toBe('default/one list uid-one@102');
  });

  it('is watched beside 120 Clusters of six namespaces that reference kinds without a CRD', async () => {
    const world = aWorldWithProvider();
    const nameClusters = (namespace: string): void => {
      for (let index = 0; index < 20; index += 1) {
        const kind = `Missing${namespace}${index}`;
        world.api.put(
          clusterKind,
          { namespace, name: `c${index}` },
          { spec: { infrastructureRef: { ...infraRef, kind } } },
        );
      }
    };
    for (const namespace of ['a', 'b', 'c', 'd', 'e', 'f']) {
      nameClusters(namespace);
    }
    world.api.put(clusterKind, { namespace: 'z', name: 'one' }, { spec: { infrastructureRef: infraRef } });
    await world.start();
    await world.clock.advance(0);
    expect(world.api.asked).toContain('watch SimulatedCluster');
  });

  it('that moved to another version is watched in that version', async () => {
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
    expect(world.requestTexts().at(-1)).toBe('default/one list uid-one@102');
  });

  it('without contract labels is retried, and the reason is logged', async () => {
    const world = new WatchForwarderWorld();
    world.crdLabels.set(infraCrd, {});
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    await world.clock.advance(60_000);
    const failures = world.log.lines.filter(line => line.level === 'error');
    expect(failures[0]?.['error']).toContain(`for CRD ${infraCrd}`);
    expect(failures.length).toBeLessThan(10);
  });

  it('that only a Cluster of another watch filter references is not watched', async () => {
    const world = new WatchForwarderWorld({ watchFilter: 'blue' });
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    expect(world.api.asked).not.toContain(`crd ${infraCrd}`);
  });

  it('is refused beyond a hundred referenced kinds', async () => {
    const world = new WatchForwarderWorld();
    for (let index = 0; index < 110; index += 1) {
      const ref = { ...infraRef, kind: `Kind${index}` };
      const namespace = `tenant-${Math.floor(index / 20)}`;
      world.api.put(clusterKind, { namespace, name: `c${index}` }, { spec: { infrastructureRef: ref } });
    }
    const { forwarder } = await world.start();
    expect(forwarder.sources.filter(({ origin }) => origin === 'referenced')).toHaveLength(100);
    expect(world.log.lines.filter(line => line.message.startsWith('Refusing'))).toHaveLength(10);
  });

  it('is followed although another namespace references fifty kinds', async () => {
    const world = new WatchForwarderWorld();
    for (let index = 0; index < 50; index += 1) {
      const ref = { ...infraRef, kind: `Kind${index}` };
      world.api.put(clusterKind, { namespace: 'hostile', name: `c${index}` }, { spec: { infrastructureRef: ref } });
    }
    world.api.put(clusterKind, { ...one, namespace: 'other' }, { spec: { infrastructureRef: infraRef } });
    const { forwarder } = await world.start();
    const referenced = forwarder.sources.filter(({ origin }) => origin === 'referenced');
    expect(referenced).toHaveLength(21);
    expect(referenced.map(({ name }) => name)).toContain(`${infraRef.kind}.${infraRef.apiGroup}`);
  });
});

describe('a provider object', () => {
  async function aRunningWorld(): Promise<WatchForwarderWorld> {
    const world = aWorldWithProvider();
    world.api.put(clusterKind, one, { spec: { infrastructureRef: infraRef } });
    await world.start();
    await world.clock.advance(5_000);
    return world;
  }

  it('without an owner causes an expansion', async () => {
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

  it('without an owner is debounced as well', async () => {
    const world = await aRunningWorld();
    for (let change = 0; change < 5; change += 1) {
      world.api.put(infraKind, one);
      await world.clock.advance(100);
    }
    await world.clock.advance(5_000);
    expect(world.expansions()).toHaveLength(2);
  });

  it('that is paused enqueues nothing', async () => {
    const world = await aRunningWorld();
    world.api.put(infraKind, { ...one, ...ownedBy('one'), annotations: { 'cluster.x-k8s.io/paused': '' } });
    await world.clock.advance(5_000);
    expect(world.requestTexts()).toHaveLength(1);
    expect(world.counted('capi_serverless_dropped_source_events_total', { reason: 'paused' })).toBe(1);
  });

  it('needs no watch-filter label', async () => {
    const world = new WatchForwarderWorld({ watchFilter: 'blue', served: [clusterKind, machineKind, infraKind] });
    world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
    const labels = { 'cluster.x-k8s.io/watch-filter': 'blue' };
    world.api.put(clusterKind, { ...one, labels }, { spec: { infrastructureRef: infraRef } });
    await world.start();
    world.api.put(infraKind, { ...one, ...ownedBy('one') });
    await world.clock.advance(2_000);
    expect(world.requestTexts().at(-1)).toBe('default/one event uid-one@102');
  });
});
