// The plan for the strategy OnDelete. A user deletes old Machines. Each deleted one is replaced by one of the current
// MachineSet.
import type { RolloutLimits } from './limits.ts';
import { byAge, type PlannedRollout, replicasAfter, type SetCounts, total, withReplicas } from './rollout-plan.ts';
import { scaleCurrentOnDelete } from './scale-current-set.ts';

interface OnDelete {
  readonly limits: RolloutLimits;
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
}

/** First, old MachineSets give up the Machines that a user has deleted. Then the oldest lose what is too much. */
export function planOnDelete(sets: OnDelete): PlannedRollout {
  const { limits, current, old } = sets;
  const start = scaleCurrentOnDelete(sets);
  const order = old.toSorted(byAge);
  const surplus = total(old, ({ spec }) => spec) + replicasAfter(start, current) - limits.replicas;
  const aligned = order.reduce(alignToMachines, start);
  const given = total(order, set => set.spec - replicasAfter(aligned, set));
  return removeSurplus(aligned, order, Math.max(surplus, 0) - given);
}

function alignToMachines(plan: PlannedRollout, { name, spec, status }: SetCounts): PlannedRollout {
  return spec > status ? withReplicas(plan, name, status, 'scale down to align to existing Machines') : plan;
}

function removeSurplus(plan: PlannedRollout, order: readonly SetCounts[], surplus: number): PlannedRollout {
  const reason = 'scale down to align MachineSet spec.replicas to MachineDeployment spec.replicas';
  let left = surplus;
  return order.reduce((each, set) => {
    const replicas = replicasAfter(each, set);
    const down = Math.min(replicas, left);
    if (down <= 0) {
      return each;
    }
    left -= down;
    return withReplicas(each, set.name, replicas - down, reason);
  }, plan);
}
