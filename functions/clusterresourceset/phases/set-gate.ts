// Whether a ClusterResourceSet is paused or in deletion, and its finalizer.
import {
  type PauseGate,
  pausedCondition,
  pauseGate,
  type ReportedCondition,
} from '@capi-serverless/cluster-api/conditions';
import type { ClusterResourceSet } from '../../../shared/api/cluster-resource-set/reader.ts';

/** Without a slash, as in upstream. */
export const resourceSetFinalizer = 'addons.cluster.x-k8s.io';

/** A paused Cluster does not pause the ClusterResourceSets that match it. */
export function pausedOf({ metadata }: ClusterResourceSet): ReportedCondition {
  return pausedCondition({ kind: 'ClusterResourceSet', annotations: metadata.annotations });
}

export function gateOf(set: ClusterResourceSet): PauseGate {
  return pauseGate(set.status.conditions, pausedOf(set), set.metadata.generation);
}

export function isDeleting({ metadata }: ClusterResourceSet): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The finalizer is added before any other work. */
export function lacksFinalizer(set: ClusterResourceSet): boolean {
  return !(isDeleting(set) || set.metadata.finalizers.includes(resourceSetFinalizer));
}

/** Returns the reason why no resource can be applied. The admission of upstream sets a default. */
export function strategyProblem(strategy: string): string | undefined {
  return ['ApplyOnce', 'Reconcile'].includes(strategy)
    ? undefined
    : `unsupported or empty resource strategy: ${JSON.stringify(strategy)}`;
}
