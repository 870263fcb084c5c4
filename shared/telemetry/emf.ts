// Writes metrics as log lines in CloudWatch's embedded metric format, which needs no API call.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html

import type { Instant } from '@capi-serverless/apimachinery';
import type { MetricLevel } from '../config/metric-levels.ts';
import type { MetricLabels, Metrics } from '../kernel/metrics.ts';
import { deploymentDimension, metricNamespace, toDimensionSets, unitOf } from './published-metrics.ts';

/** The maximum number of values per metric and line in this format. */
const mostValues = 100;

interface EmfOptions {
  /** The name of the stack. It is a dimension of every metric. */
  readonly deployment: string;
  readonly functionName: string;
  readonly level: MetricLevel;
  readonly now: () => Instant;
  /** Writes one line. The line has no line end. */
  readonly write: (line: string) => void;
}

interface EmfMetrics extends Metrics {
  /** Writes the metrics since the last call: one line per set of labels. */
  flush(): void;
}

interface Group {
  readonly labels: MetricLabels;
  /** The values by metric: the sum of each counter, and every value of each timing. */
  readonly counts: Map<string, number>;
  readonly timings: Map<string, number[]>;
}

export function createEmfMetrics(options: EmfOptions): EmfMetrics {
  const groups = new Map<string, Group>();
  const groupOf = (labels: MetricLabels): Group => {
    const id = JSON.stringify(Object.entries(labels).sort());
    const group = groups.get(id) ?? { labels, counts: new Map(), timings: new Map() };
    groups.set(id, group);
    return group;
  };
  const flush = (): void => {
    const now = options.now();
    const lines = [...groups.values()].map(group => toLine(options, group, now));
    groups.clear();
    lines.forEach(options.write);
  };
  return {
    count(name, labels) {
      const { counts } = groupOf(labels);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    observe(name, labels, seconds) {
      const { timings } = groupOf(labels);
      const values = timings.get(name) ?? [];
      timings.set(name, values);
      values.push(seconds);
      if (values.length === mostValues) {
        flush();
      }
    },
    flush,
  };
}

function toLine({ deployment, functionName, level }: EmfOptions, group: Group, now: Instant): string {
  const values = { ...Object.fromEntries(group.counts), ...Object.fromEntries(group.timings) };
  const directives = Object.keys(values).flatMap(name => {
    const dimensions = toDimensionSets(name, level);
    const metric = { Name: name, Unit: unitOf(name) };
    return dimensions.length === 0 ? [] : [{ Namespace: metricNamespace, Dimensions: dimensions, Metrics: [metric] }];
  });
  return JSON.stringify({
    // Without metrics, the line is an ordinary log line, which can be searched.
    ...(directives.length === 0 ? {} : { _aws: { Timestamp: now, CloudWatchMetrics: directives } }),
    [deploymentDimension]: deployment,
    function: functionName,
    ...group.labels,
    ...values,
  });
}
