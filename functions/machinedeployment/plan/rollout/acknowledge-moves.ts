// Counts the Machines that an old MachineSet handed over to the current one. Each Machine raises the replicas of the
// current MachineSet once, although it may be pending for several passes.
import { compareText } from '@capi-serverless/apimachinery';
import type { RolloutLimits } from './limits.ts';
import { type SetCounts, total } from './rollout-plan.ts';

interface Moves {
  readonly limits: RolloutLimits;
  readonly current: SetCounts;
  readonly old: readonly SetCounts[];
  /** The Machines of the current MachineSet that wait for their acknowledgement. */
  readonly pending: readonly string[];
  /** The names in the annotation of the current MachineSet. They have been counted. */
  readonly acknowledged: readonly string[];
}

export interface Acknowledgement {
  /** The replicas of the current MachineSet with these Machines. */
  readonly replicas: number;
  /** The new annotation. Absent if no Machine waits. */
  readonly annotation: string | undefined;
  readonly note: string | undefined;
}

/** A moved Machine takes the place of one that is not created yet, if the number of Machines allows no other. */
export function acknowledgeMoves({ limits, current, old, pending, acknowledged }: Moves): Acknowledgement {
  const names = pending.toSorted(compareText).join(',');
  const added = pending.filter(name => !acknowledged.includes(name)).length;
  const machines = total([current, ...old], ({ spec, status }) => Math.max(spec, status));
  const room = Math.max(limits.replicas + limits.surge - machines, 0);
  const most = Math.max(current.status, current.spec + room);
  return {
    replicas: Math.min(current.spec + added, most),
    annotation: names === '' ? undefined : names,
    note: added > 0 ? `acknowledge Machines ${names} moved from an old MachineSet` : undefined,
  };
}
