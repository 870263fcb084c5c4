// The plan of one pass over a Cluster, derived from the objects that were read. Both the actions and the report use it.
import type { Instant } from '@capi-serverless/apimachinery';
import { inOrder, isDeleting } from '@capi-serverless/reconciler';
import { deletionPhase } from './phases/cluster-deletion.ts';
import { descendantsPhase, toDescendants } from './phases/descendants.ts';
import { endpointActionId, endpointPhase } from './phases/endpoint.ts';
import { controlPlanePhase, infrastructurePhase, type PlannedExternals } from './phases/externals.ts';
import { initializedPhase } from './phases/initialized.ts';
import { kubeconfigPhase } from './phases/kubeconfig-secret.ts';
import { specPatchProblem } from './phases/ownership.ts';
import type { ClusterPhase } from './phases/pass-progress.ts';
import { failingSinceActionId, remoteConnectionPhase } from './phases/remote-connection.ts';
import type { PhaseScope } from './phases/scope.ts';
import type { ObservedCluster } from './seen.ts';

/** The phases of a pass in order. A phase that does not apply writes and concludes nothing. */
const phases: readonly ((scope: PhaseScope) => ClusterPhase)[] = [
  infrastructurePhase,
  controlPlanePhase,
  endpointPhase,
  descendantsPhase,
  kubeconfigPhase,
  initializedPhase,
  remoteConnectionPhase,
  deletionPhase,
  ownPatchesPhase,
];

/** The plan assumes that every write succeeds. Each step also contains the result for a failed write. */
export interface ClusterPlan extends ClusterPhase {
  readonly scope: PhaseScope;
}

/** The result of observe. It plans the external objects, because a kubeconfig contains their endpoint. */
export type ClusterWithExternals = ObservedCluster & { readonly externals: PlannedExternals };

/** A Cluster that waits for its topology has no phases. */
export function plan({ externals, ...seen }: ClusterWithExternals, { now }: { readonly now: Instant }): ClusterPlan {
  const scope: PhaseScope = {
    seen,
    now,
    externals,
    infrastructure: externals.infrastructure.scoped,
    controlPlane: externals.controlPlane.scoped,
    descendants: toDescendants(seen.lists, seen.cluster),
  };
  return { scope, ...inOrder(seen.step === 'phases' ? phases.map(phase => phase(scope)) : []) };
}

/**
 * The errors of the patches of the Cluster itself. They follow all others, because upstream patches the Cluster last.
 * During deletion, the time of the first failed probe is not needed.
 */
function ownPatchesPhase({ seen: { cluster } }: PhaseScope): ClusterPhase {
  const problem = specPatchProblem(cluster.object);
  const ids = isDeleting(cluster) ? [endpointActionId] : [endpointActionId, failingSinceActionId];
  return { actions: [], steps: ids.map(id => ({ change: {}, needs: [{ id, problem }] })) };
}
