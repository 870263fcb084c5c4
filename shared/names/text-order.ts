// The order of names wherever an order shows: by code unit, so that it is the same everywhere.

/** Negative when `a` comes first. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
