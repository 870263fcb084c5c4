// Scales a MachineDeployment whose rollout is paused. No MachineSet is created, and no template is rolled out.
import { onDelete, type RolloutLimits } from './limits.ts';
import { byAge, emptyPlan, type PlannedRollout, type SetCounts, total, withReplicas } from './rollout-plan.ts';

interface PausedSets {
  readonly strategy: string;
  readonly limits: RolloutLimits;
  /** Absent if no MachineSet has the current template. */
  readonly current: SetCounts | undefined;
  readonly old: readonly SetCounts[];
}

/**
 * MachineSets are scaled only if their number changes. One grows only as far as the number of all Machines allows,
 * Machines in deletion included.
 */
export function scalePaused({ strategy, limits, current, old }: PausedSets): PlannedRollout {
  const { replicas, surge } = limits;
  const sets = current === undefined ? old : [...old, current];
  const scale = scaleWithin(sets, replicas + surge);
  const active = sets.filter(({ spec }) => spec > 0);
  const [only = current ?? old.toSorted(byAge).at(-1), ...more] = active;
  if (more.length === 0) {
    return only === undefined ? emptyPlan : scale([only], () => replicas);
  }
  if (current !== undefined && isSaturated(current, replicas)) {
    return scale(active, ({ name, spec }) => (name === current.name ? spec : 0));
  }
  if (strategy === onDelete) {
    return emptyPlan;
  }
  return scale(active, replicas === 0 ? () => 0 : largestTo(active, replicas + surge));
}

function isSaturated({ spec, available }: SetCounts, replicas: number): boolean {
  return spec === replicas && available === replicas;
}

type ReplicasOf = (set: SetCounts) => number;

/** The largest MachineSet takes the whole difference. Of equal ones, it is the newest to grow, the oldest to shrink. */
function largestTo(active: readonly SetCounts[], goal: number): ReplicasOf {
  const add = goal - total(active, ({ spec }) => spec);
  const bySize = (a: SetCounts, b: SetCounts) => b.spec - a.spec || (add > 0 ? byAge(b, a) : byAge(a, b));
  const [largest] = active.toSorted(bySize);
  return set => (set === largest ? Math.max(set.spec + add, 0) : set.spec);
}

function scaleWithin(
  all: readonly SetCounts[],
  most: number,
): (scaled: readonly SetCounts[], replicasOf: ReplicasOf) => PlannedRollout {
  const existing = ({ spec, status }: SetCounts): number => Math.max(spec, status);
  const machines = total(all, existing);
  return (scaled, replicasOf) =>
    scaled.reduce((plan, set) => {
      const room = most - (machines - existing(set));
      const replicas = Math.min(replicasOf(set), Math.max(room, set.spec));
      return replicas === set.spec ? plan : withReplicas(plan, set.name, replicas, 'scale while the rollout is paused');
    }, emptyPlan);
}
