// The recorded sequences of rollouts. A cell is `status/spec aAvailable uUpToDate → new spec` of one MachineSet, as the
// planner reads it. The last cell of a row is what MachineSets and users do afterwards. Machines are numbered in the
// order of their creation.

export interface RolloutSequence {
  readonly name: string;
  /** Replicas and limits, and what changed before the first row. */
  readonly about: string;
  readonly start: string;
  readonly rows: readonly string[];
  readonly end: string;
}

/** `·` separates the steps of the controllers. A step without parentheses changes nothing. */
export interface RolloutOrder {
  /** The sequence with the same start. */
  readonly name: string;
  readonly steps: readonly string[];
  readonly end: string;
}
