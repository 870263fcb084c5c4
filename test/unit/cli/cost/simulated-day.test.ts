// The formula of the costs against a simulated day. The resync runs as on its schedule, over Clusters with topology that
// nothing changes. Each message that it sends is one invocation of the timer and one reconcile, which writes nothing
// (docs/simulation.md). So the counts of a day, times the days of a month, are the load of the month.
import { expect, it } from 'vitest';
import { profiles, toLoad } from '../../../../cli/cost/items.ts';
import { toShape } from '../../../../cli/cost/shape.ts';
import { declarations } from '../../../../functions/declarations.ts';
import { month } from '../../../../infra/prices.ts';
import type { Kind } from '../../../../packages/apimachinery/object.ts';
import { toWatchSet } from '../../../../shared/event-source/watch-set.ts';
import { clusterKind, ResyncWorld } from '../../functions/resync/world.ts';

const infraKind: Kind = { ...clusterKind, group: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster' };
const controlPlaneKind: Kind = {
  ...clusterKind,
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'SimulatedControlPlane',
};
const declared = toWatchSet(declarations).declared.map(({ kind }) => kind);
const namespace = 'ns';

/** Clusters with infrastructure, a control plane and one MachineDeployment with one MachineSet and one Machine each. */
function aWorldOf(clusters: number): ResyncWorld {
  const world = new ResyncWorld(declarations, [...declared, infraKind, controlPlaneKind]);
  const refTo = ({ group, kind }: Kind, name: string) => ({ apiGroup: group, kind, name });
  for (let index = 0; index < clusters; index += 1) {
    const name = `c${index}`;
    const metadata = {
      namespace,
      name,
      labels: { 'cluster.x-k8s.io/cluster-name': name, 'topology.cluster.x-k8s.io/owned': '' },
      ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: `uid-${name}` }],
    };
    world.api.put(
      clusterKind,
      { namespace, name },
      {
        spec: {
          infrastructureRef: refTo(infraKind, name),
          controlPlaneRef: refTo(controlPlaneKind, name),
          topology: { classRef: { name: 'usual' } },
        },
      },
    );
    for (const kind of [infraKind, controlPlaneKind]) {
      world.api.put(kind, metadata);
    }
    for (const kind of ['Machine', 'MachineDeployment', 'MachineSet']) {
      world.api.put({ ...clusterKind, kind }, metadata);
    }
  }
  return world;
}

it.each([
  { clusters: 10, profile: profiles.default },
  { clusters: 100, profile: profiles.lean },
  // Fewer and larger runs, because every run does the same.
  { clusters: 1000, profile: { ...profiles.lean, resyncMinutes: 360 } },
])('$clusters idle Clusters: the formula is within 10 % of the counts of a day', async ({ clusters, profile }) => {
  const { resyncMinutes, fullResyncMinutes } = profile;
  const periods = { periodSeconds: resyncMinutes * 60, fullPeriodSeconds: fullResyncMinutes * 60 };
  const world = aWorldOf(clusters);
  // The first run enqueues every object, once in the life of a deployment.
  await world.run(periods);
  world.api.asked.length = 0;
  const before = world.server.calls.all.length;
  let messages = 0;
  const runs = (24 * 60) / resyncMinutes;
  for (let run = 0; run < runs; run += 1) {
    messages += (await world.run(periods)).length;
  }
  const requests = world.api.asked.length + world.server.calls.all.length - before;
  const load = toLoad({ ...toShape(declarations), ...profile, clusters, changesPerDay: 0 });
  console.log(
    `${clusters} idle Clusters, a day: ${runs} runs, ${messages} messages, ${requests} requests of the resync`,
  );
  expect(messages).toBe(clusters * 4);
  expect(load.resynced).toBe(messages * month.days);
  expect(load.resyncs).toBe(runs * month.days);
  expect(load.reconciles).toBe(messages * month.days);
  const counted = requests * month.days;
  expect(Math.abs(load.resyncApiRequests - counted) / counted).toBeLessThan(0.1);
});
