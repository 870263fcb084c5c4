// The two errors that a provider's author throws intentionally. Any other error is a failure and is retried with
// backoff.

/** The maximum number of `cause` links that are followed. */
const longestCauseChain = 10;

/** Requests the next call after this number of seconds, at least 1. It is not a failure and is not logged as one. */
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

/**
 * The error if retries cannot succeed. Before contract v1beta2, the object stays failed until it is deleted and created
 * again.
 */
export class Terminal extends Error {
  readonly reason: string;

  constructor(reason: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'Terminal';
    this.reason = reason;
  }
}

/** Returns the first such error among `thrown` and its causes, because authors may wrap these errors. */
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
