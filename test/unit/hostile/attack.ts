// Input with which a tenant may try to block a function. Each attack ends with an error that contains the exceeded
// limit. The work until then is counted. Nothing is timed.

export interface Attack {
  readonly reason: string;
  /** Runs the attack. */
  run(): AttackResult;
  /** A part of the error text. */
  readonly says: string;
}

export interface AttackResult {
  /** The error. Undefined if the attack was accepted. */
  readonly error: string | undefined;
  /** The charged units. */
  readonly work?: number;
}
