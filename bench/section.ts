// What a section of the bench finds: one row per figure, one value per subject, the first subject being ours.

/** `count` has no unit of its own, such as requests per Cluster. */
export type Unit = 's' | 'ms' | 'KiB' | 'MiB' | '%' | 'count';

export interface Row {
  readonly figure: string;
  readonly unit: Unit;
  /** One per subject; null where there is nothing to measure, or no way to. */
  readonly values: readonly (number | null)[];
}

export interface Section {
  readonly name: string;
  readonly title: string;
  /** What was measured, in the order of the values of each row. */
  readonly subjects: readonly string[];
  readonly rows: readonly Row[];
  /** What was left out and why, one line each. */
  readonly skipped: readonly string[];
}

/** Hears what is under way. */
export type Say = (line: string) => void;

/** Ours over each other subject's, in the order of the values; null where either is missing or the other is 0. */
export function ratiosOf({ values: [ours = null, ...others] }: Row): readonly (number | null)[] {
  return others.map(other => (ours === null || other === null || other === 0 ? null : ours / other));
}

/** null for no values. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** The smallest value that at least this share of all does not exceed; null for no values. `share`: 0 to 1. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** null for no values. */
export function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}
