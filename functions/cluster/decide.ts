// Decides the writes of one pass over a Cluster: finalizer, then owner references, endpoint and deletes, then finalizer
// removal.

import { type Action, patchFinalizers } from '@capi-serverless/reconciler';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import { deletionActions } from './phases/cluster-deletion.ts';
import { endpointActions } from './phases/endpoint.ts';
import { clusterFinalizer } from './phases/gate.ts';
import { kubeconfigActions } from './phases/kubeconfig-secret.ts';
import { failingSinceActions } from './phases/remote-connection.ts';
import type { ClusterPlan, WholePlan } from './plan.ts';

export const addFinalizerId = 'finalizer:add';

/** A crash after any action is safe: the next pass decides the remaining writes again. */
export function decide(plan: ClusterPlan): readonly Action[] {
  switch (plan.step) {
    case 'finalizer':
      return [addFinalizer(plan.cluster)];
    case 'pausedCondition':
    case 'clusterClassError':
    case 'topologyWait':
      return [];
    case 'phases':
      return phaseActions(plan);
  }
}

function addFinalizer({ object, metadata }: Cluster): Action {
  return patchFinalizers(addFinalizerId, object, [...metadata.finalizers, clusterFinalizer]);
}

/** An action that depends on an earlier write has a condition on the outcome of this write. */
function phaseActions({ scope, externals, deletion }: WholePlan): readonly Action[] {
  const { seen, now } = scope;
  const { infrastructure, controlPlane, endpoint } = externals;
  return [
    ...infrastructure.actions,
    ...controlPlane.actions,
    ...endpointActions(seen.cluster, endpoint),
    ...kubeconfigActions(seen, endpoint),
    ...failingSinceActions(seen, now),
    ...(deletion === undefined ? [] : deletionActions(deletion, seen.cluster)),
  ];
}
