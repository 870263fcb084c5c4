// The order of names: by code unit, so that it is the same in every locale.

/** Negative if `a` sorts first. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
