// The plan of a rolling update: the current MachineSet, then the old ones, then updates in place, then a rollout that
// cannot continue.
import { type Checked, mapChecked } from '@capi-serverless/apimachinery';
import type { RolloutLimits } from './limits.ts';
import { resolveDeadlock } from './resolve-deadlock.ts';
import type { PlannedRollout } from './rollout-plan.ts';
import { scaleCurrentByRolling } from './scale-current-set.ts';
import { scaleOldSets } from './scale-old-sets.ts';
import type { SetCounts } from './set-counts.ts';
import { planInPlace } from './update-in-place.ts';

export interface RollingUpdate {
  readonly limits: RolloutLimits;
  /** Its replicas include the Machines that this pass acknowledges. */
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
  /** Absent if the feature is disabled. */
  readonly inPlace?: { readonly updatable: ReadonlySet<string>; readonly isUpdating: boolean };
}

/** Fails if the surge is needed and not valid. */
export function planRollingUpdate({ inPlace, ...sets }: RollingUpdate): Checked<PlannedRollout> {
  return mapChecked(scaleCurrentByRolling(sets), first => {
    const { plan, order } = scaleOldSets(first, sets);
    const moving = inPlace === undefined ? plan : planInPlace(plan, { ...sets, ...inPlace, old: order });
    return resolveDeadlock(moving, sets.current, order);
  });
}
