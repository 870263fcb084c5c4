// The backoff of failed reconciles.

const firstDelayMs = 1_000;
const longestDelayMs = 5 * 60_000;

/** Returns the milliseconds until the next try after `attempt` consecutive failures: 1 s × 2^attempt, at most 5 min. */
export function backoffMs(attempt: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
}
