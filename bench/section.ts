// The result of a section: one row per figure, one value per subject. The first subject is this project.

/** `count` is a number without a unit, such as requests per Cluster. */
export type Unit = 's' | 'ms' | 'ns' | 'B' | 'KiB' | 'MiB' | '%' | 'count';

export interface Row {
  readonly figure: string;
  readonly unit: Unit;
  /** One value per subject. Null if it was not measured. */
  readonly values: readonly (number | null)[];
}

export interface Section {
  readonly name: string;
  readonly title: string;
  /** The names of the subjects, in the order of the values. */
  readonly subjects: readonly string[];
  readonly rows: readonly Row[];
  /** The skipped measurements and the reasons, one per line. */
  readonly skipped: readonly string[];
}

/** Receives progress messages. */
export type Say = (line: string) => void;

/**
 * Returns the value of this project divided by that of each other subject. Null if a value is missing or the divisor is
 * 0.
 */
export function ratiosOf({ values: [ours = null, ...others] }: Row): readonly (number | null)[] {
  return others.map(other => (ours === null || other === null || other === 0 ? null : ours / other));
}

/** Returns null if there are no values. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** Returns the smallest value that is not below the given share (0 to 1) of all values. Null if there are no values. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** Returns null if there are no values. */
export function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}
