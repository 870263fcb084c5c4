// ControlPlaneInitialized: once True it stays as it is.
import type { ConditionDraft } from '../../../shared/conditions/condition.ts';
import { isTrue } from '../../../shared/conditions/get.ts';
import { readInitialized } from '../../../shared/contract/control-plane.ts';
import { isDeleting } from '../phases/gate.ts';
import type { Phases } from '../phases/run.ts';
import type { InScope, PhaseContext } from '../phases/scope.ts';
import { waitingForTopology } from './external.ts';
import { internalError } from './internal-error.ts';

const type = 'ControlPlaneInitialized';

/** `undefined`: stays as stored, its observedGeneration too. */
export function controlPlaneInitialized({ context }: Phases): ConditionDraft | undefined {
  const { seen, controlPlane } = context;
  if (isTrue(seen.cluster.status.conditions, type)) {
    return undefined;
  }
  switch (controlPlane.state) {
    case 'undefined':
      return seen.cluster.spec.topology.isDefined
        ? unknownObject(isDeleting(seen.cluster) ? '' : waitingForTopology)
        : fromMachines(context);
    case 'missing':
    case 'unknown':
      // Upstream looks at the infrastructure object's absence here, not at the control plane's; kept, as users see it.
      return context.infrastructure.state === 'missing'
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

/** Counts Machines on their way out too, unlike the deprecated condition of that name. */
function fromMachines({ descendants }: PhaseContext): ConditionDraft {
  if (!descendants.known) {
    return internalError(type);
  }
  if (descendants.controlPlaneMachines.some(machine => machine.status.nodeRef.name !== '')) {
    return { type, status: 'True', reason: 'Initialized', message: '' };
  }
  const message = 'Waiting for the first control plane machine to have status.nodeRef set';
  return { type, status: 'False', reason: 'NotInitialized', message };
}
