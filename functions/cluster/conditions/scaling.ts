// The conditions RollingOut, ScalingUp and ScalingDown, aggregated from the control plane and the workers.

import {
  type AggregateSource,
  aggregateConditions,
  type ConditionDraft,
  hasCondition,
  internalError,
  orInternalError,
  ownerOf,
  readConditions,
} from '@capi-serverless/cluster-api/conditions';
import type { Scoped } from '../../../shared/external/external.ts';
import type { Conclusion } from '../phases/conclude.ts';
import { isOwnedBy } from '../phases/descendants.ts';
import { toSource } from './source.ts';

export const rollingOut = activityCondition('RollingOut', { countsMachineSets: false });
export const scalingUp = activityCondition('ScalingUp', { countsMachineSets: true });
export const scalingDown = activityCondition('ScalingDown', { countsMachineSets: true });

function activityCondition(type: string, { countsMachineSets }: { readonly countsMachineSets: boolean }) {
  const reasons = { issue: type, unknown: `${type}Unknown`, info: `Not${type}` };
  return ({ scope }: Conclusion): ConditionDraft => {
    const { descendants, controlPlane, seen } = scope;
    if (!descendants.known || controlPlane.state === 'unknown') {
      return internalError(type);
    }
    const machineSets = descendants.machineSets.filter(set => countsMachineSets && isOwnedBy(seen.cluster, set));
    const workers = [...descendants.machineDeployments, ...machineSets].map(toSource);
    const sources = [...controlPlaneSource(controlPlane, type), ...workers];
    return sources.length === 0
      ? { type, status: 'False', reason: reasons.info, message: '' }
      : orInternalError(aggregateConditions(sources, type, { negativePolarity: [type], reasons }), type);
  };
}

/**
 * A control plane is included only if it reports the condition type. A control plane with unreadable conditions is
 * omitted.
 */
function controlPlaneSource(controlPlane: Scoped, type: string): readonly AggregateSource[] {
  if (controlPlane.state !== 'inScope') {
    return [];
  }
  const conditions = readConditions(controlPlane.object);
  return conditions.ok && hasCondition(conditions.value, type)
    ? [{ owner: ownerOf(controlPlane.object), conditions: conditions.value }]
    : [];
}
