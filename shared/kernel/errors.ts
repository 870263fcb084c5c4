// The two kinds of expected errors a reconciler may throw; anything else is retried and logged as unexpected.

/** Worth another try: after `retryAfterMs`, or with back-off. */
export class RetryableError extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'RetryableError';
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Retrying cannot help: recorded, no timer. Events and the resync still reconcile the object. */
export class TerminalError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'TerminalError';
  }
}

/** What was thrown, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
