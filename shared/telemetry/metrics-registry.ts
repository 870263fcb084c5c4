// The in-memory metrics adapter. It keeps sums, and exporters read snapshots of them.
import type { MetricLabels, Metrics } from '../kernel/metrics.ts';

export interface MetricValue {
  readonly name: string;
  readonly labels: MetricLabels;
  /** The number of values. For timings, `sum` contains the seconds. */
  readonly count: number;
  readonly sum: number;
}

export interface MetricsRegistry extends Metrics {
  snapshot(): readonly MetricValue[];
}

export function createMetricsRegistry(): MetricsRegistry {
  const values = new Map<string, { name: string; labels: MetricLabels; count: number; sum: number }>();
  const add = (name: string, labels: MetricLabels, amount: number): void => {
    const id = `${name}${JSON.stringify(Object.entries(labels).sort())}`;
    const value = values.get(id) ?? { name, labels, count: 0, sum: 0 };
    value.count += 1;
    value.sum += amount;
    values.set(id, value);
  };
  return {
    count: (name, labels) => add(name, labels, 1),
    observe: add,
    snapshot: () => [...values.values()].map(value => ({ ...value })),
  };
}
