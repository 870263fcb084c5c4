// The conditions InfrastructureReady and ControlPlaneAvailable. They mirror a condition of the referenced object.
import { type ConditionDraft, mirrorConditionOf, noReasonReported } from '@capi-serverless/cluster-api/conditions';
import type { InScope, Scoped } from '../../../shared/external/external.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { isDeleting } from '../phases/gate.ts';
import type { PhaseScope } from '../phases/scope.ts';
import { internalError } from './internal-error.ts';

export const waitingForTopology = 'Waiting for cluster topology to be reconciled';

interface Mirrored {
  readonly type: string;
  readonly sourceType: string;
  readonly trueReason: string;
  readonly falseReason: string;
  /** The name of the status field that is used if the object does not report the condition. */
  readonly field: string;
  /** The value of this field in the status of the Cluster. */
  readonly achieved: boolean;
}

/** Mirrors the condition Ready of the infrastructure object. */
export function infrastructureReady({ scope, progress }: Conclusion): ConditionDraft {
  return mirroredCondition(scope, scope.infrastructure, {
    type: 'InfrastructureReady',
    sourceType: 'Ready',
    trueReason: 'Ready',
    falseReason: 'NotReady',
    field: 'status.initialization.provisioned',
    achieved: progress.infrastructureProvisioned,
  });
}

/** Mirrors the condition Available of the control plane object. */
export function controlPlaneAvailable({ scope, progress }: Conclusion): ConditionDraft {
  return mirroredCondition(scope, scope.controlPlane, {
    type: 'ControlPlaneAvailable',
    sourceType: 'Available',
    trueReason: 'Available',
    falseReason: 'NotAvailable',
    field: 'status.initialization.controlPlaneInitialized',
    achieved: progress.controlPlaneInitialized,
  });
}

function mirroredCondition({ seen }: PhaseScope, scoped: Scoped, rules: Mirrored): ConditionDraft {
  const { type } = rules;
  const deleting = isDeleting(seen.cluster);
  switch (scoped.state) {
    case 'undefined':
      // If no topology will set the reference, upstream reports an internal error. Dashboards rely on this reason.
      return seen.cluster.spec.topology.isDefined
        ? { type, status: 'False', reason: 'ObjectDoesNotExist', message: deleting ? '' : waitingForTopology }
        : internalError(type);
    case 'unknown':
      return internalError(type);
    case 'missing':
      return { type, status: 'False', ...missingCause(scoped.ref.kind, rules.achieved, deleting) };
    case 'inScope':
      return fromObject(scoped, rules);
  }
}

function missingCause(kind: string, wasThere: boolean, deleting: boolean) {
  if (!wasThere) {
    return { reason: 'ObjectDoesNotExist', message: `${kind} does not exist` };
  }
  const message = deleting ? `${kind} has been deleted` : `${kind} has been deleted while the cluster still exists`;
  return { reason: 'ObjectDeleted', message };
}

function fromObject({ object, ref }: InScope, rules: Mirrored): ConditionDraft {
  const { type, trueReason } = rules;
  const fallback = rules.achieved
    ? { status: 'True' as const, reason: trueReason, message: '' }
    : { status: 'False' as const, reason: rules.falseReason, message: `${ref.kind} ${rules.field} is false` };
  const mirrored = mirrorConditionOf(object, rules.sourceType, { targetType: type, fallback });
  if (!mirrored.ok) {
    return { type, status: 'Unknown', reason: 'InvalidConditionReported', message: mirrored.error };
  }
  const { status, reason } = mirrored.value;
  return status === 'True' && reason === noReasonReported ? { ...mirrored.value, reason: trueReason } : mirrored.value;
}
