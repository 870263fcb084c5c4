// The deprecated condition ControlPlaneInitialized of a Cluster without a control plane object. Control plane Machines
// determine it.

import { isTrue, v1Beta1False, v1Beta1True } from '@capi-serverless/cluster-api/conditions';
import { concluded, isDeleting } from '@capi-serverless/reconciler';
import { isDefined } from '../../../shared/api/cluster/reader.ts';
import type { Machine } from '../../../shared/api/machine/reader.ts';
import { isControlPlaneMachine } from './descendants.ts';
import type { ClusterPhase } from './pass-progress.ts';
import type { PhaseScope } from './scope.ts';

const type = 'ControlPlaneInitialized';

/**
 * Once the condition is True, it never changes. If the Cluster references a control plane object, the object reports
 * the condition.
 */
export function initializedPhase({ seen }: PhaseScope): ClusterPhase {
  const { cluster, lists } = seen;
  const { spec, status } = cluster;
  if (isDeleting(cluster) || isDefined(spec.controlPlaneRef) || isTrue(status.deprecated.v1beta1.conditions, type)) {
    return concluded();
  }
  if (!lists.machines.ok) {
    return concluded({ errors: [`failed to list machines: ${lists.machines.error}`] });
  }
  const draft = lists.machines.value.some(isInitialized)
    ? v1Beta1True(type)
    : v1Beta1False(type, {
        reason: 'MissingNodeRef',
        severity: 'Info',
        message: 'Waiting for the first control plane machine to have its status.nodeRef set',
      });
  return concluded({ v1beta1: [draft] });
}

/**
 * The deprecated condition ignores Machines that are being deleted. The current condition of the same name includes
 * them.
 */
function isInitialized(machine: Machine): boolean {
  return !isDeleting(machine) && isControlPlaneMachine(machine) && machine.status.nodeRef.name !== '';
}
