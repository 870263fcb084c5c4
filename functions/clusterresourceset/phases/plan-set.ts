// The plan of one pass over a ClusterResourceSet. Decide, report and the explanations use it.
import type { Instant } from '@capi-serverless/apimachinery';
import type { ClusterResourceSet } from '../../../shared/api/cluster-resource-set/reader.ts';
import type { ResourceSetEarlyEnd, ResourceSetSeen, SetResource } from '../seen.ts';
import { type ClustersPlan, planClusters } from './plan-clusters.ts';
import { planDeletion, type SetDeletionPlan } from './plan-deletion.ts';

export interface MatchedPlan {
  readonly step: 'clusters';
  readonly set: ClusterResourceSet;
  readonly resources: readonly SetResource[];
  readonly clusters: ClustersPlan;
  readonly now: Instant;
}

export type ResourceSetPlan =
  | ResourceSetEarlyEnd
  | { readonly step: 'deletion'; readonly set: ClusterResourceSet; readonly deletion: SetDeletionPlan }
  | MatchedPlan;

export function plan(seen: ResourceSetSeen, now: Instant): ResourceSetPlan {
  switch (seen.step) {
    case 'finalizer':
    case 'pausedCondition':
    case 'unmatched':
    case 'blocked':
      return seen;
    case 'deletion':
      return { step: 'deletion', set: seen.set, deletion: planDeletion(seen.set, seen.bindings) };
    case 'clusters': {
      const { set, resources } = seen;
      return { step: 'clusters', set, resources, clusters: planClusters({ ...seen, now }), now };
    }
  }
}
