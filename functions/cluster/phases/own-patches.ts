// The errors of the patches of the Cluster itself. They follow all others, because upstream patches the Cluster last.
import { isDeleting } from '@capi-serverless/reconciler';
import { endpointActionId } from './endpoint.ts';
import type { ClusterPhase } from './pass-progress.ts';
import { specPatchProblem } from './patch-problem.ts';
import { failingSinceActionId } from './remote-connection.ts';
import type { PhaseScope } from './scope.ts';

/** During deletion, the time of the first failed probe is not needed. */
export function ownPatchesPhase({ seen: { cluster } }: PhaseScope): ClusterPhase {
  const problem = specPatchProblem(cluster.object);
  const ids = isDeleting(cluster) ? [endpointActionId] : [endpointActionId, failingSinceActionId];
  return { actions: [], steps: ids.map(id => ({ change: {}, needs: [{ id, problem }] })) };
}
