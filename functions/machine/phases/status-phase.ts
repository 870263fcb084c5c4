// `status.phase`: the state of the Machine in one word.
import { type Condition, isTrue } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { MachineProgress } from './pass-progress.ts';

/** The last applicable line determines the phase. If none applies, the stored phase is kept. */
export function phaseOf(machine: WholeMachine, progress: MachineProgress, conditions: readonly Condition[]): string {
  const { infrastructureProvisioned, bootstrapDataSecretCreated, spec } = progress;
  const providerID = spec.providerID ?? machine.spec.providerID;
  const nodeRef = progress.nodeRef ?? machine.status.nodeRef.name;
  if (isDeleting(machine)) {
    return 'Deleting';
  }
  if (isTrue(conditions, 'Updating')) {
    return 'Updating';
  }
  if (nodeRef !== '' && infrastructureProvisioned) {
    return 'Running';
  }
  if (providerID !== '') {
    return 'Provisioned';
  }
  if (bootstrapDataSecretCreated && !infrastructureProvisioned) {
    return 'Provisioning';
  }
  return machine.status.phase === '' ? 'Pending' : machine.status.phase;
}
