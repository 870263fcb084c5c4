// Scales old MachineSets down as far as enough Machines stay available. Unavailable Machines are removed first.
import type { RolloutLimits } from './limits.ts';
import { byAge, type PlannedRollout, replicasAfter, type SetCounts, total, withReplicas } from './rollout-plan.ts';

interface OldSets {
  readonly limits: RolloutLimits;
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
}

interface ScaledOldSets {
  readonly plan: PlannedRollout;
  /** The oldest is first, unless no Machine may be removed. */
  readonly order: readonly SetCounts[];
}

/** What may still be removed. */
interface Allowance {
  readonly plan: PlannedRollout;
  readonly room: number;
  /** The available Machines of all sets, without those that may disappear. */
  readonly available: number;
}

export function scaleOldSets(plan: PlannedRollout, sets: OldSets): ScaledOldSets {
  const { current, old } = sets;
  const room = roomOf(plan, sets);
  if (room <= 0) {
    return { plan, order: old };
  }
  const order = old.toSorted(byAge);
  const available = total([current, ...old], set => stayingOf(plan, set));
  const first: Allowance = { plan, room, available };
  const unavailableFirst = ['unavailable', 'any'] as const;
  const last = unavailableFirst.reduce(
    (allowance, which) => order.reduce((left, set) => scaleDown(left, set, { which, limits: sets.limits }), allowance),
    first,
  );
  return { plan: last.plan, order };
}

/** The Machines that are not needed: wanted ones, without those that disappear anyway or are not available yet. */
function roomOf(plan: PlannedRollout, { limits, current, old }: OldSets): number {
  const sets = [current, ...old];
  const wanted = total(sets, ({ spec }) => spec);
  const pending = total(sets, set => surplusOf(plan, set));
  const notYetAvailable = Math.max(current.spec - current.available, 0);
  return wanted - pending - limits.minAvailable - notYetAvailable;
}

/** The Machines that the set deletes, or that this pass lets it delete. */
function surplusOf(plan: PlannedRollout, set: SetCounts): number {
  return Math.max(set.status - Math.min(set.spec, replicasAfter(plan, set)), 0);
}

/** The available Machines that stay. The set may delete available Machines although it has unavailable ones. */
function stayingOf(plan: PlannedRollout, set: SetCounts): number {
  return Math.max(set.available - surplusOf(plan, set), 0);
}

interface Removal {
  readonly which: 'unavailable' | 'any';
  readonly limits: RolloutLimits;
}

/**
 * Replicas without Machine can be removed without loss, and all replicas of a set without available Machines. Otherwise
 * existing Machines are removed only if as many available ones are not needed.
 */
function scaleDown(allowance: Allowance, set: SetCounts, { which, limits: { minAvailable } }: Removal): Allowance {
  const { plan, room, available } = allowance;
  const replicas = replicasAfter(plan, set);
  const removable = which === 'unavailable' ? replicas - set.available : replicas;
  const free = set.available === 0 ? replicas : Math.max(replicas - set.status, 0);
  const down = Math.min(removable, room, free + Math.max(available - minAvailable, 0));
  if (down <= 0) {
    return allowance;
  }
  const lost = Math.min(stayingOf(plan, set), Math.max(down - free, 0));
  const reason =
    lost === 0
      ? 'scale down to align to existing Machines or scale down by removing unavailable replicas (and no available replicas exist on the MachineSet)'
      : `${available} available replicas > ${minAvailable} minimum available replicas`;
  return {
    plan: withReplicas(plan, set.name, replicas - down, reason),
    room: room - down,
    available: available - lost,
  };
}
