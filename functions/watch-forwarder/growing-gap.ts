// How long to wait between tries at something that keeps failing.

export interface GapBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Milliseconds before the next try after `failures` (1, 2, …) failures in a row: doubling from the first, bounded. */
export function growingGapMs(failures: number, bounds: GapBounds): number {
  return Math.min(bounds.longestMs, bounds.firstMs * 2 ** Math.max(0, failures - 1));
}
