// The two errors a provider's author throws on purpose. Anything else thrown is a failure: retried with back-off.

/** How many `cause` links are followed before giving up. */
const longestCauseChain = 10;

/** "Call me again in that many seconds": not a failure, not logged as one. At least 1 s passes. */
export class RequeueAfter extends Error {
  readonly seconds: number;

  /** Throws RangeError unless `seconds` is a finite number ≥ 0. */
  constructor(seconds: number, options: { readonly cause?: unknown } = {}) {
    if (!Number.isFinite(seconds) || seconds < 0) {
      throw new RangeError(`RequeueAfter needs a number of seconds ≥ 0, got ${seconds}`);
    }
    super(`requeue after ${seconds} s`, options);
    this.name = 'RequeueAfter';
    this.seconds = seconds;
  }
}

/** Retrying cannot help. Under the contracts before v1beta2 the object stays failed until it is deleted and created again. */
export class Terminal extends Error {
  readonly reason: string;

  constructor(reason: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'Terminal';
    this.reason = reason;
  }
}

/** The first of both in `thrown` or its causes: authors may wrap them in errors of their own. */
export function findIntent(thrown: unknown): RequeueAfter | Terminal | undefined {
  let error = thrown;
  for (let depth = 0; depth < longestCauseChain && error instanceof Error; depth += 1) {
    if (error instanceof RequeueAfter || error instanceof Terminal) {
      return error;
    }
    error = error.cause;
  }
  return undefined;
}
