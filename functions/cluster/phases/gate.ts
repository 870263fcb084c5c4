// What must be settled on the Cluster itself before anything else is read: the finalizer, then pause.

import { pauseGate } from '@capi-serverless/cluster-api/conditions';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { pausedCondition } from '../conditions/paused.ts';

export const clusterFinalizer = 'cluster.cluster.x-k8s.io';

/** 'open': the phases run. 'paused': settled, nothing to do. The others name the only write of the pass. */
export type ClusterGate = 'finalizer' | 'pausedCondition' | 'paused' | 'open';

/** Depends on the Cluster only, before anything else is read. */
export function gateOf(cluster: Cluster): ClusterGate {
  if (!isDeleting(cluster) && !cluster.metadata.finalizers.includes(clusterFinalizer)) {
    return 'finalizer';
  }
  const { status, metadata } = cluster;
  const gate = pauseGate(status.conditions, pausedCondition(cluster), metadata.generation);
  return gate === 'write' ? 'pausedCondition' : gate;
}

export function isDeleting(cluster: Cluster): boolean {
  return cluster.metadata.deletionTimestamp !== undefined;
}

/** The topology has not named both objects yet. A Cluster that is being deleted does not wait for that. */
export function waitsForTopology(cluster: Cluster): boolean {
  const { topology, controlPlaneRef, infrastructureRef } = cluster.spec;
  const hasBoth = isDefined(controlPlaneRef) && isDefined(infrastructureRef);
  return topology.isDefined && !hasBoth && !isDeleting(cluster);
}
