// The gates of a pass over a ClusterClass, before other objects are read: pause first, then deletion.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, isDeleting, pausedGate, type Stop } from '@capi-serverless/reconciler';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';

export function pausedOf({ metadata }: ClusterClass): ReportedCondition {
  return pausedCondition({ kind: 'ClusterClass', annotations: metadata.annotations });
}

/** A class has no finalizer. Therefore a pass over a class that is being deleted does nothing. */
export function gateOf(clusterClass: ClusterClass): EarlyEnd | Stop | undefined {
  const early = pausedGate(clusterClass, pausedOf(clusterClass));
  return early === undefined && isDeleting(clusterClass) ? { stop: 'deleting' } : early;
}
