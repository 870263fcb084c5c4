// The conditions InfrastructureReady and ControlPlaneAvailable. They mirror a condition of the referenced object.
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { Scoped } from '../../../shared/external/external.ts';
import {
  type MirroredCondition,
  mirrorReferenced,
  objectDeleted,
  objectDoesNotExist,
} from '../../../shared/external/mirrored-condition.ts';
import type { Conclusion } from '../phases/conclude.ts';
import type { PhaseScope } from '../phases/scope.ts';

export const waitingForTopology = 'Waiting for cluster topology to be reconciled';

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
