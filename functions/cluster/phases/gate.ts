// The gates of a pass over a Cluster, before other objects are read: the finalizer, the Paused condition, the topology.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';

export const clusterFinalizer = 'cluster.cluster.x-k8s.io';

/** The condition Paused. `spec.paused` and the annotation pause a Cluster. */
export function pausedOf({ spec, metadata }: Cluster): ReportedCondition {
  return pausedCondition({ kind: 'Cluster', annotations: metadata.annotations, isClusterPaused: spec.paused });
}

/** The topology reconciler has not set both references yet. A Cluster that is being deleted does not wait for them. */
export function waitsForTopology(cluster: Cluster): boolean {
  const { topology, controlPlaneRef, infrastructureRef } = cluster.spec;
  const hasBoth = isDefined(controlPlaneRef) && isDefined(infrastructureRef);
  return topology.isDefined && !hasBoth && !isDeleting(cluster);
}
