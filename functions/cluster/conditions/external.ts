// InfrastructureReady and ControlPlaneAvailable: what the named object reports, or why there is nothing to report.
import type { ConditionDraft } from '../../../shared/conditions/condition.ts';
import { noReasonReported } from '../../../shared/conditions/condition.ts';
import { mirrorConditionOf } from '../../../shared/conditions/mirror.ts';
import { isDeleting } from '../phases/gate.ts';
import type { Phases } from '../phases/run.ts';
import type { InScope, Scoped } from '../phases/scope.ts';
import { internalError } from './internal-error.ts';

export const waitingForTopology = 'Waiting for cluster topology to be reconciled';

interface Mirrored {
  readonly type: string;
  readonly sourceType: string;
  readonly trueReason: string;
  readonly falseReason: string;
  /** The field that stands in for a condition the object does not report. */
  readonly field: string;
  /** That field, as the Cluster remembers it. */
  readonly achieved: boolean;
}

/** Mirrors the infrastructure object's Ready. */
export function infrastructureReady({ context, progress }: Phases): ConditionDraft {
  return mirroredCondition(context, context.infrastructure, {
    type: 'InfrastructureReady',
    sourceType: 'Ready',
    trueReason: 'Ready',
    falseReason: 'NotReady',
    field: 'status.initialization.provisioned',
    achieved: progress.infrastructureProvisioned,
  });
}

/** Mirrors the control plane object's Available. */
export function controlPlaneAvailable({ context, progress }: Phases): ConditionDraft {
  return mirroredCondition(context, context.controlPlane, {
    type: 'ControlPlaneAvailable',
    sourceType: 'Available',
    trueReason: 'Available',
    falseReason: 'NotAvailable',
    field: 'status.initialization.controlPlaneInitialized',
    achieved: progress.controlPlaneInitialized,
  });
}

function mirroredCondition({ seen }: Phases['context'], scoped: Scoped, rules: Mirrored): ConditionDraft {
  const { type } = rules;
  const deleting = isDeleting(seen.cluster);
  switch (scoped.state) {
    case 'undefined':
      // Upstream calls this an internal error where no topology will name the object; dashboards know it like that.
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
