// The backoff of failed reconciles.

const firstDelayMs = 1_000;
const longestDelayMs = 5 * 60_000;

/** Returns the milliseconds until the next try after `attempt` consecutive failures: 1 s × 2^attempt, at most 5 min. */
export function backoffMs(attempt: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
}

/** A server cannot delay a retry for longer than the longest backoff. A value that is no number is no wait. */
export function clampWaitMs(requestedMs: number): number {
  return requestedMs > 0 ? Math.min(requestedMs, longestDelayMs) : 0;
}

const firstPauseMs = 50;

/**
 * Returns the milliseconds before the next pass after `lost` consecutive conflicts with another writer: about 50 ms ×
 * 2^lost. `random`, from 0 to 1, distributes the writers over time, so that they do not conflict again.
 */
export function contestedPauseMs(lost: number, random: number): number {
  return firstPauseMs * 2 ** (lost - 1) * (0.5 + random);
}
