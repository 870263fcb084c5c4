// Determines the first write of a pass, before other objects are read: the finalizer, then the Paused condition.

import { pauseGate } from '@capi-serverless/cluster-api/conditions';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { pausedCondition } from '../conditions/paused.ts';

export const clusterFinalizer = 'cluster.cluster.x-k8s.io';

/** 'open': the phases run. 'paused': no write is needed. Other values name the only write of the pass. */
type ClusterGate = 'finalizer' | 'pausedCondition' | 'paused' | 'open';

/** Depends only on the Cluster. Runs before other objects are read. */
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

/** The topology reconciler has not set both references yet. A Cluster that is being deleted does not wait for them. */
export function waitsForTopology(cluster: Cluster): boolean {
  const { topology, controlPlaneRef, infrastructureRef } = cluster.spec;
  const hasBoth = isDefined(controlPlaneRef) && isDefined(infrastructureRef);
  return topology.isDefined && !hasBoth && !isDeleting(cluster);
}
