// The two expected errors that a reconciler may throw. Any other error is retried and logged as unexpected.

/** Retried after `retryAfterMs`, or with back-off. */
export class RetryableError extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'RetryableError';
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Retries cannot succeed: the error is recorded without a timer. Events and resync still reconcile the object. */
export class TerminalError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'TerminalError';
  }
}

/** The thrown value as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
