// The resync compares the kinds that Clusters reference, with the watches of the Cluster reconciler.

import type { Kind } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { clusterWatches } from '../../../../functions/cluster/watches.ts';
import { kindsOfCluster } from '../../../../shared/api/cluster/reader.ts';
import { aDeclaration } from '../../../support/kernel.ts';
import { clusterKind, ResyncWorld } from './resync-with-queues.ts';

const infraKind: Kind = {
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'SimulatedCluster',
  scope: 'Namespaced',
};
const machineKind = { ...clusterKind, kind: 'Machine' };
const declaration = aDeclaration({
  name: 'cluster',
  primary: clusterKind,
  watches: clusterWatches,
  references: kindsOfCluster,
});
const isNotDue = { fullPeriodSeconds: 30 * 86_400 };

const owned = (name: string) => ({
  namespace: 'ns',
  name,
  ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: `uid-${name}` }],
});

async function aComparedWorld(): Promise<ResyncWorld> {
  const world = new ResyncWorld([declaration], [clusterKind, machineKind, infraKind]);
  for (const name of ['a', 'b']) {
    const infrastructureRef = { apiGroup: infraKind.group, kind: infraKind.kind, name };
    world.api.put(clusterKind, { namespace: 'ns', name }, { spec: { infrastructureRef } });
    world.api.put(infraKind, owned(name));
  }
  await world.run();
  return world;
}

it('a deleted infrastructure object enqueues its Cluster', async () => {
  const world = await aComparedWorld();
  expect(await world.run(isNotDue)).toEqual([]);
  world.api.remove(infraKind, { namespace: 'ns', name: 'a' });
  expect(await world.run(isNotDue)).toEqual(['cluster ns/a']);
});

it('an infrastructure object without owner is expanded', async () => {
  const world = await aComparedWorld();
  world.api.put(infraKind, { namespace: 'ns', name: 'c' });
  expect(await world.run(isNotDue)).toEqual(['expand cluster SimulatedCluster *', 'expand cluster SimulatedCluster c']);
  expect(world.expansions).toMatchObject([
    { delaySeconds: 120, expansion: { cause: 'resync' } },
    { delaySeconds: 120, expansion: { cause: 'resync' } },
  ]);
});

it('a paused infrastructure object enqueues its Cluster once, because it is no longer compared', async () => {
  const world = await aComparedWorld();
  const paused = { ...owned('a'), annotations: { 'cluster.x-k8s.io/paused': '' } };
  world.api.put(infraKind, paused);
  expect(await world.run(isNotDue)).toEqual(['cluster ns/a']);
  world.api.put(infraKind, paused);
  expect(await world.run(isNotDue)).toEqual([]);
});

it('a Cluster that references a kind without definition is compared', async () => {
  const world = await aComparedWorld();
  const infrastructureRef = { apiGroup: infraKind.group, kind: 'UnknownCluster', name: 'a' };
  world.api.put(clusterKind, { namespace: 'ns', name: 'a' }, { spec: { infrastructureRef } });
  await world.run(isNotDue);
  world.api.put(clusterKind, { namespace: 'ns', name: 'a' }, { spec: { infrastructureRef, paused: true } });
  expect(await world.run(isNotDue)).toEqual(['cluster ns/a']);
});

it('a namespace that references ever other kinds without definition does not enqueue what did not change', async () => {
  const world = await aComparedWorld();
  const infrastructureRef = { apiGroup: infraKind.group, kind: 'UnknownCluster', name: 'a' };
  world.api.put(clusterKind, { namespace: 'hostile', name: 'a' }, { spec: { infrastructureRef } });
  expect(await world.run(isNotDue)).toEqual(['cluster hostile/a']);
});

it('a kind is compared beside 120 Clusters that reference kinds without definition', async () => {
  const world = new ResyncWorld([declaration], [clusterKind, machineKind, infraKind]);
  for (let index = 0; index < 120; index += 1) {
    const infrastructureRef = { apiGroup: infraKind.group, kind: `Unknown${index}`, name: 'one' };
    const namespace = `a${Math.floor(index / 20)}`;
    world.api.put(clusterKind, { namespace, name: `c${index}` }, { spec: { infrastructureRef } });
  }
  const infrastructureRef = { apiGroup: infraKind.group, kind: infraKind.kind, name: 'one' };
  world.api.put(clusterKind, { namespace: 'ns', name: 'one' }, { spec: { infrastructureRef } });
  world.api.put(infraKind, owned('one'));
  await world.run();
  world.api.remove(infraKind, { namespace: 'ns', name: 'one' });
  expect(await world.run(isNotDue)).toEqual(['cluster ns/one']);
});
