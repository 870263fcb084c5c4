// Removes an unavailable Machine of an old MachineSet if nothing else can continue the rollout. Machines of old
// MachineSets are not remediated, so it would stay unavailable.
import { type PlannedRollout, withReplicas } from './rollout-plan.ts';
import type { SetCounts } from './set-counts.ts';

const note = 'scaling down by 1 to unblock rollout stuck due to unavailable Machine on oldMS';

/** `order` is the order in which old sets are scaled. */
export function resolveDeadlock(plan: PlannedRollout, current: SetCounts, order: readonly SetCounts[]): PlannedRollout {
  const isSettled =
    plan.replicas.size === 0 &&
    [current, ...order].every(({ spec, status }) => spec === status) &&
    current.available === current.status;
  const stuck = isSettled ? order.find(({ available, status }) => available < status) : undefined;
  return stuck === undefined ? plan : withReplicas(plan, stuck.name, stuck.spec - 1, note);
}
