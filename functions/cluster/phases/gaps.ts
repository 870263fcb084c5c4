// The time until the next reconcile of a Cluster that waits for something that sends no event.

const firstGapMs = 30_000;
const shortGapsMs = 30 * 60_000;
const firstLongGapMs = 60_000;

/**
 * Milliseconds until the next reconcile, `elapsedMs` after the wait began: 30 s for half an hour, then a minute, doubling
 * with each reconcile up to `longestMs`. Computed from the time alone, as nothing is stored between two reconciles.
 */
export function gapMs(elapsedMs: number, longestMs: number): number {
  // NaN for an object without a time of creation: it counts as young.
  if (!(elapsedMs >= shortGapsMs)) {
    return Math.min(longestMs, firstGapMs);
  }
  // After n reconciles since the half hour, the gaps add up to 2ⁿ − 1 times the first long one.
  const reconciles = Math.floor(Math.log2((elapsedMs - shortGapsMs) / firstLongGapMs + 1));
  return Math.min(longestMs, firstLongGapMs * 2 ** reconciles);
}
