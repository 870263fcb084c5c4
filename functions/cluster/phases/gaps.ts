// How long a Cluster waits before it looks again at something that nobody tells it about.

const firstGapMs = 30_000;
const patienceMs = 30 * 60_000;
const firstLongGapMs = 60_000;

/**
 * Milliseconds until the next look, `elapsedMs` after the wait began: 30 s for half an hour, then a minute, doubling with
 * each look up to `longestMs`. Follows from the time alone, as nothing is remembered between two looks.
 */
export function gapMs(elapsedMs: number, longestMs: number): number {
  // Of an object without a time of creation nothing is known: it counts as young.
  if (!(elapsedMs >= patienceMs)) {
    return Math.min(longestMs, firstGapMs);
  }
  // n looks after the half hour, the gaps add up to 2ⁿ − 1 of the first long one.
  const looks = Math.floor(Math.log2((elapsedMs - patienceMs) / firstLongGapMs + 1));
  return Math.min(longestMs, firstLongGapMs * 2 ** looks);
}
