// A kind of a provider, and objects that reference each other, for tests of the forwarder.
import { clusterKind, infraKind, machineKind, WatchForwarderWorld } from './stepped-forwarder.ts';

export const infraCrd = 'simulatedclusters.infrastructure.cluster.x-k8s.io';
export const infraRef = { apiGroup: infraKind.group, kind: infraKind.kind, name: 'one' };

export const ownedBy = (name: string) => ({
  ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: `uid-${name}` }],
});

export const one = { namespace: 'default', name: 'one' };

/** An environment in which Clusters reference SimulatedClusters, whose CRD is installed. */
export function aWorldWithProvider(): WatchForwarderWorld {
  const world = new WatchForwarderWorld({ served: [clusterKind, machineKind, infraKind] });
  world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': 'v1beta2' });
  return world;
}
