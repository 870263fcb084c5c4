// The two expected errors that a reconciler may throw. Any other error is retried and logged as unexpected.

interface RetryOptions {
  readonly cause?: unknown;
  readonly retryAfterMs?: number;
  /** The retry follows after exactly `retryAfterMs`. Default: not before the backoff ends. */
  readonly isExact?: true;
}

/** The error for a retry after `retryAfterMs`, or with backoff. */
export class RetryableError extends Error {
  readonly retryAfterMs: number | undefined;
  readonly isExact: boolean;

  constructor(message: string, options: RetryOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'RetryableError';
    this.retryAfterMs = options.retryAfterMs;
    this.isExact = options.isExact === true;
  }
}

/**
 * The error if retries cannot succeed. It is recorded without a timer. Events and resync still reconcile the object.
 */
export class TerminalError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'TerminalError';
  }
}

/** Returns the thrown value as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
