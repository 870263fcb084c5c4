// What a tenant may write to stall a function. Each attack ends with an error that names the limit it exceeds, and the work
// until then is counted. Nothing is timed.

export interface Attack {
  readonly reason: string;
  /** Runs the attack. */
  run(): Refusal;
  /** Part of the error. */
  readonly says: string;
}

export interface Refusal {
  /** Undefined: the attack was accepted. */
  readonly error: string | undefined;
}
