// The condition ControlPlaneInitialized. Once it is True, it never changes.
import { type ConditionDraft, internalError, isTrue } from '@capi-serverless/cluster-api/conditions';
import { readInitialized } from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import type { InScope } from '../../../shared/external/external.ts';
import type { Conclusion } from '../phases/conclude.ts';
import type { PhaseScope } from '../phases/scope.ts';
import { waitingForTopology } from './external.ts';

const type = 'ControlPlaneInitialized';

/** Returns `undefined` to keep the stored condition, including its observedGeneration. */
export function controlPlaneInitialized({ scope }: Conclusion): ConditionDraft | undefined {
  const { seen, controlPlane } = scope;
  if (isTrue(seen.cluster.status.conditions, type)) {
    return undefined;
  }
  switch (controlPlane.state) {
    case 'undefined':
      return seen.cluster.spec.topology.isDefined
        ? unknownObject(isDeleting(seen.cluster) ? '' : waitingForTopology)
        : fromMachines(scope);
    case 'missing':
    case 'unknown':
      // Upstream checks here whether the infrastructure object is missing, instead of the control plane object. The
      // effect is visible to users.
      return scope.infrastructure.state === 'missing'
        ? unknownObject(`${controlPlane.ref.kind} does not exist`)
        : internalError(type);
    case 'inScope':
      return fromObject(controlPlane);
  }
}

function unknownObject(message: string): ConditionDraft {
  return { type, status: 'Unknown', reason: 'ObjectDoesNotExist', message };
}

function fromObject({ object, contract }: InScope): ConditionDraft {
  const initialized = readInitialized(object, contract);
  if (initialized.state === 'wrongType') {
    return internalError(type);
  }
  return initialized.state === 'value' && initialized.value
    ? { type, status: 'True', reason: 'Initialized', message: '' }
    : { type, status: 'False', reason: 'NotInitialized', message: 'Control plane not yet initialized' };
}

/** Machines that are being deleted count too. They do not count for the deprecated condition of the same name. */
function fromMachines({ descendants }: PhaseScope): ConditionDraft {
  if (!descendants.known) {
    return internalError(type);
  }
  if (descendants.controlPlaneMachines.some(machine => machine.status.nodeRef.name !== '')) {
    return { type, status: 'True', reason: 'Initialized', message: '' };
  }
  const message = 'Waiting for the first control plane machine to have status.nodeRef set';
  return { type, status: 'False', reason: 'NotInitialized', message };
}
