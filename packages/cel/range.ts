// Lower and upper bounds of sizes and costs in the units that Kubernetes documents for CEL. Sums and products saturate.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Unbounded: larger than any budget, and small enough that exact products stay finite. */
export const unbounded = 2 ** 63;

const saturate = (value: number): number => Math.min(value, unbounded);

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function upTo(max: number): Range {
  return { min: 0, max };
}

export const zero: Range = exactly(0);
export const one: Range = exactly(1);

export function plus(...ranges: readonly Range[]): Range {
  return ranges.reduce((sum, each) => ({ min: saturate(sum.min + each.min), max: saturate(sum.max + each.max) }), zero);
}

export function times(left: Range, right: Range): Range {
  return { min: saturate(left.min * right.min), max: saturate(left.max * right.max) };
}

/** Returns the rounded-up cost of reading a value of this size. */
export function scaled(range: Range, factor: number): Range {
  return { min: saturate(Math.ceil(range.min * factor)), max: saturate(Math.ceil(range.max * factor)) };
}

export function either(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}

/** Returns the smaller of two sizes: the cost of comparing them. */
export function smaller(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.min(left.max, right.max) };
}
