// The numbers of one MachineSet, as the planner of a rollout reads them.
import { compareText, type Instant } from '@capi-serverless/apimachinery';

export interface SetCounts {
  readonly name: string;
  readonly createdAt: Instant;
  /** The desired replicas. */
  readonly spec: number;
  /** The Machines that the status reports, or those in the list of Machines if they are more. */
  readonly status: number;
  /** The available Machines that the status reports, or those in the list of Machines if they are fewer. */
  readonly available: number;
  readonly upToDate: number;
}

/** The oldest set is first. */
export function byAge(a: SetCounts, b: SetCounts): number {
  return a.createdAt - b.createdAt || compareText(a.name, b.name);
}

export function total(sets: readonly SetCounts[], countOf: (set: SetCounts) => number): number {
  return sets.reduce((sum, set) => sum + countOf(set), 0);
}
