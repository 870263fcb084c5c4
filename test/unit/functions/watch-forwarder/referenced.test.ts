// Provider kinds are followed from the first Cluster that references them until the last one. CRDs may be added and
// removed in the meantime.
import { describe, expect, it } from 'vitest';
import { clusterKind, infraKind, machineKind, WatchForwarderWorld } from './stepped-forwarder.ts';

const infraCrd = 'simulatedclusters.infrastructure.cluster.x-k8s.io';
const infraName = 'SimulatedCluster.infrastructure.cluster.x-k8s.io';
const infrastructureRef = { apiGroup: infraKind.group, kind: infraKind.kind, name: 'one' };
const ownerReferences = [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'one', uid: 'uid-one' }];
const one = { namespace: 'default', name: 'one' };
const two = { ...one, name: 'two' };
const minute = 60_000;

async function aRunningWorld(options: ConstructorParameters<typeof WatchForwarderWorld>[0] = {}) {
  const world = new WatchForwarderWorld({ served: [clusterKind, machineKind, infraKind], ...options });
  world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
  for (const cluster of [one, two]) {
    world.api.put(clusterKind, cluster, { spec: { infrastructureRef } });
  }
  const { forwarder } = await world.start();
  const follows = (): boolean => forwarder.sources.some(({ name }) => name === infraName);
  return { world, follows, isOpen: () => [...world.api.open].some(({ kind }) => kind === infraKind.kind) };
}

describe('a referenced kind', () => {
  it('is followed while a Cluster references it, and until ten minutes after the last one', async () => {
    const { world, follows, isOpen } = await aRunningWorld();
    world.api.remove(clusterKind, one);
    await world.clock.advance(21 * minute);
    expect(follows()).toBe(true);
    world.api.remove(clusterKind, two);
    await world.clock.advance(10 * minute);
    expect(follows()).toBe(false);
    expect(isOpen()).toBe(false);
    expect(world.log.lines.at(-1)).toMatchObject({ source: infraName });
  });

  it('is followed again if a Cluster references it again', async () => {
    const { world, isOpen } = await aRunningWorld();
    world.api.remove(clusterKind, one);
    world.api.remove(clusterKind, two);
    await world.clock.advance(20 * minute);
    world.api.put(clusterKind, one, { spec: { infrastructureRef } });
    await world.clock.advance(2_000);
    world.api.put(infraKind, { ...one, ownerReferences });
    await world.clock.advance(0);
    expect(isOpen()).toBe(true);
    expect(world.requestTexts().at(-1)).toContain('default/one event uid-one@');
  });

  it('stays followed if a Cluster that references it is created while Clusters are listed', async () => {
    const { world, isOpen } = await aRunningWorld();
    world.api.remove(clusterKind, one);
    world.api.remove(clusterKind, two);
    const page = world.api.page.bind(world.api);
    world.api.page = async (query, options) => {
      const listed = await page(query, options);
      if (query.kind === 'Cluster' && query.as === 'object' && world.api.asked.at(-1) === 'list Cluster') {
        world.api.page = page;
        world.api.put(clusterKind, { ...one, name: 'three' }, { spec: { infrastructureRef } });
        await world.clock.sleep(100);
      }
      return listed;
    };
    await world.clock.advance(11 * minute);
    expect(isOpen()).toBe(true);
  });

  it('stays followed while Clusters cannot be listed', async () => {
    const { world, follows } = await aRunningWorld();
    world.api.remove(clusterKind, one);
    world.api.remove(clusterKind, two);
    world.api.fail(clusterKind, { reason: 'Unavailable', message: 'no route to host' });
    await world.clock.advance(11 * minute);
    expect(follows()).toBe(true);
    world.api.fail(clusterKind, undefined);
    await world.clock.advance(10 * minute);
    expect(follows()).toBe(false);
  });

  it('is dropped if only Clusters of another watch filter reference it', async () => {
    const { world, follows } = await aRunningWorld({ watchFilter: 'blue' });
    const blue = { ...one, name: 'blue', labels: { 'cluster.x-k8s.io/watch-filter': 'blue' } };
    world.api.put(clusterKind, blue, { spec: { infrastructureRef } });
    await world.clock.advance(0);
    expect(follows()).toBe(true);
    world.api.remove(clusterKind, blue);
    await world.clock.advance(10 * minute);
    expect(follows()).toBe(false);
  });

  it('costs no list of Clusters while none is deleted', async () => {
    const { world } = await aRunningWorld();
    await world.clock.advance(11 * minute);
    const before = world.api.asked.filter(asked => asked === 'list Cluster').length;
    for (let hour = 0; hour < 60; hour += 1) {
      world.api.bookmark(clusterKind);
      await world.clock.advance(minute);
    }
    expect(world.api.asked.filter(asked => asked === 'list Cluster')).toHaveLength(before);
  });

  it('is listed again with all its objects if its CRD is removed and recreated', async () => {
    const { world } = await aRunningWorld();
    world.api.put(infraKind, { ...one, ownerReferences });
    await world.clock.advance(2_000);
    world.crdLabels.delete(infraCrd);
    world.api.fail(infraKind, { reason: 'NotFound', code: 404, message: '404 page not found' });
    world.api.endStreams();
    await world.clock.advance(minute);
    world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
    world.api.fail(infraKind, undefined);
    await world.clock.advance(10_000);
    expect(world.requestTexts().at(-1)).toMatch(/^default\/one list uid-one@/);
  });
});
