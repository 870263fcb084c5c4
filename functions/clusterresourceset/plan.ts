// The plan of one pass over a ClusterResourceSet. Decide, report and the explanations use it.
import { groupOf, type Instant, type OwnerReference, toRef } from '@capi-serverless/apimachinery';
import {
  type Action,
  failureOf,
  type Outcomes,
  patchFinalizers,
  removeFinalizerId,
  type WholePlan,
} from '@capi-serverless/reconciler';
import type { ClusterResourceSet } from '../../shared/api/cluster-resource-set/reader.ts';
import type { ResourceSetBinding } from '../../shared/api/cluster-resource-set-binding/reader.ts';
import { resourceSetFinalizer } from './phases/gate.ts';
import { setOwner, toStoredBindings } from './phases/plan-binding.ts';
import { type PlannedClusters, planClusters } from './phases/plan-clusters.ts';
import type { ObservedResourceSet, SetResource, UnreadResourceSet } from './seen.ts';

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

export type ResourceSetPlan = (UnreadResourceSet & WholePlan) | DeletionPlan | MatchedPlan;

export function plan(seen: ObservedResourceSet, now: Instant): ResourceSetPlan {
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

interface PlannedSetDeletion {
  /** The bindings that are changed, with their actions. */
  readonly cleaned: readonly Action[];
  readonly actions: readonly Action[];
}

/**
 * Removes the entries of the ClusterResourceSet from all bindings of the namespace, then the finalizer. Objects in
 * workload clusters stay. Each write is valid for the observed version of the binding only.
 */
function planDeletion(set: ClusterResourceSet, bindings: readonly ResourceSetBinding[]): PlannedSetDeletion {
  const cleaned = bindings.flatMap(binding => cleanBinding(set, binding));
  const { object, metadata } = set;
  const others = metadata.finalizers.filter(finalizer => finalizer !== resourceSetFinalizer);
  const isCleaned = (outcomes: Outcomes): boolean => cleaned.every(({ id }) => failureOf(outcomes, id) === undefined);
  return {
    cleaned,
    actions: [
      ...cleaned,
      ...(others.length === metadata.finalizers.length
        ? []
        : [{ ...patchFinalizers(removeFinalizerId, object, others), when: isCleaned }]),
    ],
  };
}

function cleanBinding(set: ClusterResourceSet, { object, metadata, spec }: ResourceSetBinding): readonly Action[] {
  const owner = setOwner(set);
  const bindings = spec.bindings.filter(({ clusterResourceSetName }) => clusterResourceSetName !== owner.name);
  const owners = metadata.ownerReferences.filter(reference => !isSame(reference, owner));
  if (bindings.length === spec.bindings.length && owners.length === metadata.ownerReferences.length) {
    return [];
  }
  const { name, uid, resourceVersion } = metadata;
  const common = { id: `binding:clean:${name}`, onError: 'continue', ref: toRef(object), resourceVersion } as const;
  return bindings.length === 0
    ? [{ ...common, do: 'delete', uid }]
    : [
        {
          ...common,
          do: 'patch',
          body: { metadata: { ownerReferences: owners }, spec: { bindings: toStoredBindings(bindings) } },
        },
      ];
}

function isSame(reference: OwnerReference, { apiVersion, kind, name }: OwnerReference): boolean {
  return groupOf(reference.apiVersion) === groupOf(apiVersion) && reference.kind === kind && reference.name === name;
}
