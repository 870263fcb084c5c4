// The plan of one pass over a ClusterResourceSet. Decide, report and the explanations use it.

import type { Instant } from '@capi-serverless/apimachinery';
import type { EarlyEnd, WholePlan } from '@capi-serverless/reconciler';
import type { ClusterResourceSet } from '../../shared/api/cluster-resource-set/reader.ts';
import { type PlannedClusters, planClusters } from './phases/plan-clusters.ts';
import { type PlannedSetDeletion, planDeletion } from './phases/plan-deletion.ts';
import type { ResourceSetSeen, SetResource, UnreadResourceSet } from './seen.ts';

export interface MatchedPlan extends WholePlan {
  readonly step: 'clusters';
  readonly set: ClusterResourceSet;
  readonly resources: readonly SetResource[];
  readonly clusters: PlannedClusters;
  readonly now: Instant;
}

interface DeletionPlan extends WholePlan, PlannedSetDeletion {
  readonly step: 'deletion';
  readonly set: ClusterResourceSet;
}

export type WholeSetPlan = (UnreadResourceSet & WholePlan) | DeletionPlan | MatchedPlan;

export type ResourceSetPlan = EarlyEnd | WholeSetPlan;

export function plan(seen: ResourceSetSeen, now: Instant): WholeSetPlan {
  switch (seen.step) {
    case 'unmatched':
    case 'blocked':
      return { ...seen, actions: [] };
    case 'deletion':
      return { step: 'deletion', set: seen.set, ...planDeletion(seen.set, seen.bindings) };
    case 'clusters': {
      const { step, set, resources } = seen;
      const clusters = planClusters({ ...seen, now });
      return { step, set, resources, clusters, now, actions: clusters.actions };
    }
  }
}
