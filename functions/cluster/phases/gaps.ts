// The time until the next reconcile if a Cluster waits for a change that sends no event.

/** The gaps of a wait for a Secret, while the wait is shorter than `untilMs`. Together at most 72 reconciles. */
const gapsForSecret: readonly { readonly untilMs: number; readonly gapMs: number }[] = [
  { untilMs: 20_000, gapMs: 1_000 },
  { untilMs: 120_000, gapMs: 5_000 },
  { untilMs: 600_000, gapMs: 15_000 },
];

const firstGapMs = 30_000;
const shortGapsMs = 30 * 60_000;
const firstLongGapMs = 60_000;

/**
 * Returns the milliseconds until the next reconcile, `elapsedMs` after the wait began. The interval is 30 s for half an
 * hour. Then it is one minute and doubles with each reconcile up to `longestMs`. It depends on the elapsed time only,
 * because no state is stored between two reconciles.
 */
export function gapMs(elapsedMs: number, longestMs: number): number {
  // `elapsedMs` is NaN for an object without a creation time. Such an object gets the shortest interval.
  if (!(elapsedMs >= shortGapsMs)) {
    return Math.min(longestMs, firstGapMs);
  }
  // After n reconciles since the first half hour, the intervals add up to 2ⁿ − 1 times the first long interval.
  const reconciles = Math.floor(Math.log2((elapsedMs - shortGapsMs) / firstLongGapMs + 1));
  return Math.min(longestMs, firstLongGapMs * 2 ** reconciles);
}

/**
 * Returns the milliseconds until the next reconcile of a Cluster that waits for a Secret, `elapsedMs` after the wait
 * began. No event source watches Secrets. Providers usually create a Secret within seconds, so the first gaps are short.
 */
export function secretGapMs(elapsedMs: number, longestMs: number): number {
  const early = gapsForSecret.find(({ untilMs }) => elapsedMs < untilMs);
  return early === undefined ? gapMs(elapsedMs, longestMs) : Math.min(longestMs, early.gapMs);
}
