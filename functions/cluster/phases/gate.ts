// What must be settled on the Cluster itself before anything else is looked at: the finalizer, then pause.
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { hasSameState, hasSameStateExceptGeneration } from '../../../shared/conditions/equality.ts';
import { getCondition } from '../../../shared/conditions/get.ts';
import { pausedCondition } from '../conditions/paused.ts';

export const clusterFinalizer = 'cluster.cluster.x-k8s.io';

/** 'open': the phases may run. 'paused': settled, nothing to do. The others name the one thing to write first. */
export type Gate = 'finalizer' | 'pausedCondition' | 'paused' | 'open';

/** Decided from the Cluster alone, before anything else is read. */
export function gateOf(cluster: Cluster): Gate {
  if (!isDeleting(cluster) && !cluster.metadata.finalizers.includes(clusterFinalizer)) {
    return 'finalizer';
  }
  const wanted = { ...pausedCondition(cluster), observedGeneration: cluster.metadata.generation };
  const stored = getCondition(cluster.status.conditions, 'Paused');
  if (stored === undefined || !hasSameStateExceptGeneration(stored, wanted)) {
    return 'pausedCondition';
  }
  if (wanted.status === 'False') {
    return 'open';
  }
  return hasSameState(stored, wanted) ? 'paused' : 'pausedCondition';
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
