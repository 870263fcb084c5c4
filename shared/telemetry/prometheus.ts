// Formats metrics in the Prometheus text format.
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
import type { MetricLabels } from '../kernel/metrics.ts';
import type { MetricValue } from './metrics-registry.ts';

export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** A metric with a current value. */
export interface Gauge {
  readonly name: string;
  readonly labels?: MetricLabels;
  readonly value: number;
}

/** Names that end in `_total` are counters. All others are timings: summaries in seconds without quantiles. */
export function toPrometheusText(values: readonly MetricValue[], gauges: readonly Gauge[]): string {
  const families = new Map<string, string[]>();
  const add = (name: string, type: string, samples: readonly string[]): void => {
    const lines = families.get(name) ?? [`# TYPE ${name} ${type}`];
    lines.push(...samples);
    families.set(name, lines);
  };
  for (const { name, labels, count, sum } of values) {
    if (name.endsWith('_total')) {
      add(name, 'counter', [toSample(name, labels, sum)]);
    } else {
      add(name, 'summary', [toSample(`${name}_sum`, labels, sum), toSample(`${name}_count`, labels, count)]);
    }
  }
  for (const { name, labels = {}, value } of gauges) {
    add(name, 'gauge', [toSample(name, labels, value)]);
  }
  return [...families.values()].map(lines => `${lines.join('\n')}\n`).join('');
}

function toSample(name: string, labels: MetricLabels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
