// Decides the writes of one pass over a ClusterResourceSet: the finalizer; owner references, bindings and the objects in
// workload clusters; in deletion, the bindings.
import { type Action, patchFinalizers } from '@capi-serverless/reconciler';
import type { ResourceSetPlan } from './phases/plan-set.ts';
import { resourceSetFinalizer } from './phases/set-gate.ts';

export const addFinalizerId = 'finalizer:add';

/** A crash after any action is safe: the next pass decides the remaining writes again. */
export function decide(plan: ResourceSetPlan): readonly Action[] {
  switch (plan.step) {
    case 'finalizer': {
      const { object, metadata } = plan.set;
      return [patchFinalizers(addFinalizerId, object, [...metadata.finalizers, resourceSetFinalizer])];
    }
    case 'pausedCondition':
    case 'unmatched':
    case 'blocked':
      return [];
    case 'deletion':
      return plan.deletion.actions;
    case 'clusters':
      return plan.clusters.actions;
  }
}
