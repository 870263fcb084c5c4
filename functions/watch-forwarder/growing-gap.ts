// Exponential back-off between retries.

export interface GapBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Returns the milliseconds before the next retry after `failures` (1, 2, …) consecutive failures. The delay doubles
 * each time up to a maximum.
 */
export function growingGapMs(failures: number, bounds: GapBounds): number {
  return Math.min(bounds.longestMs, bounds.firstMs * 2 ** Math.max(0, failures - 1));
}
