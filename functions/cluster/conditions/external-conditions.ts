// The conditions about the objects that the Cluster references, and about the connection to its workload cluster.

import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type ConditionDraft, hasCondition, internalError, isTrue } from '@capi-serverless/cluster-api/conditions';
import { readInitialized } from '@capi-serverless/cluster-api/contract';
import { isDeleting } from '@capi-serverless/reconciler';
import {
  neverConnectedMessage,
  remoteConnectionType as probeType,
} from '../../../shared/api/cluster/remote-connection.ts';
import type { InScope, Scoped } from '../../../shared/external/external.ts';
import {
  type MirroredCondition,
  mirrorReferenced,
  objectDeleted,
  objectDoesNotExist,
} from '../../../shared/external/mirrored-condition.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { failedMessage, failingSince, flipMs, storedFailure } from '../phases/remote-connection.ts';
import type { PhaseScope } from '../phases/scope.ts';

const waitingForTopology = 'Waiting for cluster topology to be reconciled';

/** Mirrors the condition Ready of the infrastructure object. */
export function infrastructureReady({ scope, progress }: Conclusion): ConditionDraft {
  return mirroredCondition(scope, scope.infrastructure, {
    type: 'InfrastructureReady',
    source: 'Ready',
    field: 'status.initialization.provisioned',
    isAchieved: progress.infrastructureProvisioned,
  });
}

/** Mirrors the condition Available of the control plane object. */
export function controlPlaneAvailable({ scope, progress }: Conclusion): ConditionDraft {
  return mirroredCondition(scope, scope.controlPlane, {
    type: 'ControlPlaneAvailable',
    source: 'Available',
    field: 'status.initialization.controlPlaneInitialized',
    isAchieved: progress.controlPlaneInitialized,
  });
}

function mirroredCondition(
  { seen: { cluster } }: PhaseScope,
  scoped: Scoped,
  rules: Omit<MirroredCondition, 'missing'>,
): ConditionDraft {
  const { type, isAchieved } = rules;
  const deleting = isDeleting(cluster);
  // If no topology will set the reference, upstream reports an internal error. Dashboards rely on this reason.
  if (scoped.state === 'undefined' && cluster.spec.topology.isDefined) {
    return { type, status: 'False', reason: 'ObjectDoesNotExist', message: deleting ? '' : waitingForTopology };
  }
  return mirrorReferenced(scoped, {
    ...rules,
    missing: kind =>
      isAchieved ? objectDeleted(kind, deleting ? '' : ' while the cluster still exists') : objectDoesNotExist(kind),
  });
}

const initializedType = 'ControlPlaneInitialized';

/** Returns `undefined` to keep the stored condition, including its observedGeneration. */
export function controlPlaneInitialized({ scope }: Conclusion): ConditionDraft | undefined {
  const { seen, controlPlane } = scope;
  if (isTrue(seen.cluster.status.conditions, initializedType)) {
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
        : internalError(initializedType);
    case 'inScope':
      return fromObject(controlPlane);
  }
}

function unknownObject(message: string): ConditionDraft {
  return { type: initializedType, status: 'Unknown', reason: 'ObjectDoesNotExist', message };
}

function fromObject({ object, contract }: InScope): ConditionDraft {
  const initialized = readInitialized(object, contract);
  if (initialized.state === 'wrongType') {
    return internalError(initializedType);
  }
  return initialized.state === 'value' && initialized.value
    ? { type: initializedType, status: 'True', reason: 'Initialized', message: '' }
    : {
        type: initializedType,
        status: 'False',
        reason: 'NotInitialized',
        message: 'Control plane not yet initialized',
      };
}

/** Machines that are being deleted count too. They do not count for the deprecated condition of the same name. */
function fromMachines({ descendants }: PhaseScope): ConditionDraft {
  if (!descendants.known) {
    return internalError(initializedType);
  }
  if (descendants.controlPlaneMachines.some(machine => machine.status.nodeRef.name !== '')) {
    return { type: initializedType, status: 'True', reason: 'Initialized', message: '' };
  }
  const message = 'Waiting for the first control plane machine to have status.nodeRef set';
  return { type: initializedType, status: 'False', reason: 'NotInitialized', message };
}

/** Returns `undefined` without a new result. This keeps the stored condition, including its observedGeneration. */
export function remoteConnectionProbe({ scope }: Conclusion): ConditionDraft | undefined {
  const { remote } = scope.seen;
  switch (remote.state) {
    case 'off':
      return undefined;
    case 'succeeded':
      return succeeded;
    case 'skipped':
      return unlessStored(scope);
    case 'refused':
      return failed(`${refusedMessage}${remote.problem}`);
    case 'failed': {
      const { cluster } = scope.seen;
      const elapsed = scope.now - (failingSince(cluster) ?? scope.now);
      const stored = storedFailure(cluster);
      if (stored !== undefined || elapsed >= flipMs(scope.seen)) {
        const isKept = stored?.message.startsWith(refusedMessage) === false;
        return failed(isKept ? stored.message : toMessage(remote.lastSuccessAt));
      }
      return remote.lastSuccessAt === undefined ? unlessStored(scope) : succeeded;
    }
  }
}

/** The prefix of the message about a kubeconfig that is refused. A later probe replaces the message. */
const refusedMessage = `${failedMessage}: `;

const succeeded: ConditionDraft = { type: probeType, status: 'True', reason: 'ProbeSucceeded', message: '' };

function failed(message: string): ConditionDraft {
  return { type: probeType, status: 'False', reason: 'ProbeFailed', message };
}

function unlessStored({ seen }: PhaseScope): ConditionDraft | undefined {
  return hasCondition(seen.cluster.status.conditions, probeType) ? undefined : failed(neverConnectedMessage);
}

function toMessage(lastSuccessAt: number | undefined): string {
  return lastSuccessAt === undefined
    ? failedMessage
    : `${failedMessage}, probe last succeeded at ${toTimestamp(lastSuccessAt)}`;
}
