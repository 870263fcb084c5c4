// Lets old MachineSets hand their Machines over to the current one instead of deleting them. Then the surge is used only
// where no Machine may be missing.
import { compareText } from '@capi-serverless/apimachinery';
import type { RolloutLimits } from './limits.ts';
import {
  type PlannedRollout,
  replicasAfter,
  type SetCounts,
  withNote,
  withoutReplicas,
  withReplicas,
} from './rollout-plan.ts';

export interface InPlaceSets {
  readonly limits: RolloutLimits;
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
}

/** Returns the old MachineSets whose Machines may move, if their update in place is possible. */
export function inPlaceCandidates({ limits, current, old }: InPlaceSets): readonly SetCounts[] {
  return current.spec < limits.replicas ? old.filter(({ status }) => status > 0) : [];
}

interface InPlace extends InPlaceSets {
  /** The names of the MachineSets that can be updated in place. */
  readonly updatable: ReadonlySet<string>;
  /** Whether a Machine of the deployment is updated in place. */
  readonly isUpdating: boolean;
}

export function planInPlace(plan: PlannedRollout, inPlace: InPlace): PlannedRollout {
  const { current, updatable } = inPlace;
  const sources = inPlaceCandidates(inPlace).filter(({ name }) => updatable.has(name));
  if (sources.length === 0) {
    return plan;
  }
  const reason = `should scale down by moving Machines to MachineSet ${current.name}`;
  const moving = sources.reduce((each, { name }) => withNote(each, name, reason), plan);
  const moves = sources.map(({ name }) => name).toSorted(compareText);
  return limitSurge({ ...moving, moves }, inPlace);
}

function limitSurge(plan: PlannedRollout, inPlace: InPlace): PlannedRollout {
  const { limits, current } = inPlace;
  const up = replicasAfter(plan, current) - current.spec;
  const needed = Math.max(up - limits.surge, 0);
  const used = up - needed;
  if (used <= 0) {
    return plan;
  }
  if (needed === 0 && !isBusy(plan, inPlace)) {
    const reason = 'surge 1 allowed to create availability for in-place updates';
    return withReplicas(plan, current.name, current.spec + 1, reason);
  }
  const reason = `surge ${used} dropped to prioritize in-place updates`;
  return needed === 0
    ? withoutReplicas(plan, current.name, reason)
    : withReplicas(plan, current.name, current.spec + needed, reason);
}

/** Returns true if Machines are created, moved, updated or deleted. Then availability will change without surge. */
function isBusy(plan: PlannedRollout, { current, old, isUpdating }: InPlace): boolean {
  const { spec, status, upToDate, available } = current;
  return (
    isUpdating ||
    spec !== status ||
    spec !== upToDate ||
    spec !== available ||
    old.some(set => set.spec < set.status || replicasAfter(plan, set) < set.spec)
  );
}
