// What one pass changes: the replicas of MachineSets, and the MachineSets whose Machines move.
import { compareText, type Instant } from '@capi-serverless/apimachinery';

/** The MachineSets of one pass, by name. */
export interface PlannedRollout {
  /** The new replicas of the MachineSets that are scaled. */
  readonly replicas: ReadonlyMap<string, number>;
  /** The old MachineSets that hand their Machines over to the current one. */
  readonly moves: readonly string[];
  /** The reasons of the changes, for logs. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
}

export const emptyPlan: PlannedRollout = { replicas: new Map(), moves: [], notes: new Map() };

export function withReplicas(plan: PlannedRollout, name: string, replicas: number, note: string): PlannedRollout {
  return withNote({ ...plan, replicas: new Map(plan.replicas).set(name, replicas) }, name, note);
}

export function withoutReplicas(plan: PlannedRollout, name: string, note: string): PlannedRollout {
  const others = [...plan.replicas].filter(([set]) => set !== name);
  return withNote({ ...plan, replicas: new Map(others) }, name, note);
}

/** A note that is repeated is recorded once. */
export function withNote(plan: PlannedRollout, name: string, note: string): PlannedRollout {
  const notes = new Set([...(plan.notes.get(name) ?? []), note]);
  return { ...plan, notes: new Map(plan.notes).set(name, [...notes]) };
}

/** The replicas of this set after the plan. */
export function replicasAfter(
  plan: PlannedRollout,
  { name, spec }: { readonly name: string; readonly spec: number },
): number {
  return plan.replicas.get(name) ?? spec;
}

/** The numbers of one MachineSet, as the planner of a rollout reads them. */
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
