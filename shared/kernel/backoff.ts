// How long a failed reconcile waits for its next try.

const firstDelayMs = 1_000;
const longestDelayMs = 5 * 60_000;

/** Milliseconds before the next try after `attempt` earlier failures in a row: 1 s × 2^attempt, at most 5 min. */
export function backoffMs(attempt: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
}
