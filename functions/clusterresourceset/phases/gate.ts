// The gates of a pass over a ClusterResourceSet: the finalizer, then the Paused condition.

import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, finalizerGate, pausedGate, type Stop } from '@capi-serverless/reconciler';
import type { ClusterResourceSet } from '../../../shared/api/cluster-resource-set/reader.ts';

/** Without a slash, as in upstream. */
export const resourceSetFinalizer = 'addons.cluster.x-k8s.io';

/** A paused Cluster does not pause the ClusterResourceSets that match it. */
export function pausedOf({ metadata }: ClusterResourceSet): ReportedCondition {
  return pausedCondition({ kind: 'ClusterResourceSet', annotations: metadata.annotations });
}

export function gateOf(set: ClusterResourceSet): EarlyEnd | Stop | undefined {
  return finalizerGate(set, resourceSetFinalizer) ?? pausedGate(set, pausedOf(set));
}

/** Returns the reason why no resource can be applied. The admission of upstream sets a default. */
export function strategyProblem(strategy: string): string | undefined {
  return ['ApplyOnce', 'Reconcile'].includes(strategy)
    ? undefined
    : `unsupported or empty resource strategy: ${JSON.stringify(strategy)}`;
}
