// The deprecated ControlPlaneInitialized of a Cluster without control plane object: its first Machine tells.
import { isDefined } from '../../../shared/api/cluster/reader.ts';
import type { Machine } from '../../../shared/api/machine/reader.ts';
import { isTrue } from '../../../shared/conditions/get.ts';
import { v1Beta1False, v1Beta1True } from '../../../shared/conditions/v1beta1.ts';
import { isControlPlaneMachine } from './descendants.ts';
import { type PhaseContext, type Progress, withError, withV1Beta1 } from './scope.ts';

const type = 'ControlPlaneInitialized';

/** Once True it stays; a control plane object, where there is one, tells instead. */
export function initializedPhase({ seen, now }: PhaseContext, progress: Progress): Progress {
  const { cluster, lists } = seen;
  if (isDefined(cluster.spec.controlPlaneRef) || isTrue(progress.v1beta1, type)) {
    return progress;
  }
  if (!lists.machines.ok) {
    return withError(progress, `failed to list machines: ${lists.machines.error}`);
  }
  const draft = lists.machines.value.some(isInitialized)
    ? v1Beta1True(type)
    : v1Beta1False(type, {
        reason: 'MissingNodeRef',
        severity: 'Info',
        message: 'Waiting for the first control plane machine to have its status.nodeRef set',
      });
  return withV1Beta1(progress, draft, now);
}

/** Unlike the current condition of that name, the deprecated one leaves out Machines on their way out. */
function isInitialized(machine: Machine): boolean {
  const isGoing = machine.metadata.deletionTimestamp !== undefined;
  return !isGoing && isControlPlaneMachine(machine) && machine.status.nodeRef.name !== '';
}
