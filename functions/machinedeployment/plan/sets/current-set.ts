// Chooses the MachineSet that has the current template. All other MachineSets are old.
import type { Instant } from '@capi-serverless/apimachinery';
import { byAge, type SetCounts } from '../rollout/rollout-plan.ts';

export interface SetCandidate {
  readonly counts: SetCounts;
  /** Whether the fields that start a rollout equal those of the deployment. */
  readonly isUpToDate: boolean;
  readonly isDeleting: boolean;
}

export interface RolloutTime {
  /** MachineSets that are older than this time are replaced once it has passed. */
  readonly after: Instant | undefined;
  readonly now: Instant;
}

export interface ChosenSets<Candidate> {
  /** Absent if a MachineSet must be created. */
  readonly current: Candidate | undefined;
  readonly old: readonly Candidate[];
}

/** Prefers the MachineSet with most replicas. A MachineSet in deletion is old: it creates no Machines. */
export function chooseCurrentSet<Candidate extends SetCandidate>(
  sets: readonly Candidate[],
  time: RolloutTime,
): ChosenSets<Candidate> {
  const order = sets.toSorted((a, b) => b.counts.spec - a.counts.spec || byAge(a.counts, b.counts));
  const current = order.find(
    candidate => candidate.isUpToDate && !candidate.isDeleting && !isExpired(candidate.counts, time),
  );
  return { current, old: order.filter(candidate => candidate !== current) };
}

/** Returns true if the MachineSet is replaced because of its age. */
export function isExpired({ createdAt }: Pick<SetCounts, 'createdAt'>, { after, now }: RolloutTime): boolean {
  return after !== undefined && now >= after && createdAt < after;
}

/** Machines of a MachineSet that is replaced because of its age, or that is up to date, are never updated in place. */
export function isEligibleForInPlace({ isUpToDate, counts }: SetCandidate, time: RolloutTime): boolean {
  return !isUpToDate && !isExpired(counts, time);
}
