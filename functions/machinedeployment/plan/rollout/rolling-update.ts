// The plan of a rolling update: the current MachineSet, then the old ones, then updates in place, then a rollout that
// cannot continue.
import { type Checked, mapChecked } from '@capi-serverless/apimachinery';
import type { RolloutLimits } from './limits.ts';
import { type PlannedRollout, type SetCounts, withReplicas } from './rollout-plan.ts';
import { scaleCurrentByRolling } from './scale-current-set.ts';
import { scaleOldSets } from './scale-old-sets.ts';
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

const deadlockNote = 'scaling down by 1 to unblock rollout stuck due to unavailable Machine on oldMS';

/**
 * Removes an unavailable Machine of an old MachineSet if nothing else can continue the rollout. These Machines are not
 * remediated. `order` is the order in which old sets are scaled.
 */
export function resolveDeadlock(plan: PlannedRollout, current: SetCounts, order: readonly SetCounts[]): PlannedRollout {
  const isSettled =
    plan.replicas.size === 0 &&
    [current, ...order].every(({ spec, status }) => spec === status) &&
    current.available === current.status;
  const stuck = isSettled ? order.find(({ available, status }) => available < status) : undefined;
  return stuck === undefined ? plan : withReplicas(plan, stuck.name, stuck.spec - 1, deadlockNote);
}
