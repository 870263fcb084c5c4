// The metrics that become CloudWatch metrics, and their dimensions. Other metrics are written to the logs only. Pure.

import type { MetricLevel } from '../config/metric-levels.ts';
import * as source from '../event-source/source-metrics.ts';
import * as kernel from '../kernel/metrics.ts';

export const metricNamespace = 'capi-serverless';
/** A dimension of every metric. With `few` it is the only one. */
export const deploymentDimension = 'deployment';

interface PublishedMetric {
  readonly name: string;
  readonly unit: 'Count' | 'Seconds';
  readonly level: Exclude<MetricLevel, 'off'>;
  /** Labels that become dimensions with `all`. Names and kinds of objects are excluded, because users choose them. */
  readonly labels: readonly string[];
}

const count = (name: string, level: PublishedMetric['level'], ...labels: readonly string[]): PublishedMetric => ({
  name,
  unit: 'Count',
  level,
  labels,
});
const seconds = (name: string, ...labels: readonly string[]): PublishedMetric => ({
  name,
  unit: 'Seconds',
  level: 'all',
  labels,
});

export const publishedMetrics: readonly PublishedMetric[] = [
  count(kernel.reconcileErrors, 'few', 'controller'),
  count(kernel.terminalReconcileErrors, 'few', 'controller'),
  count(kernel.reconcilePanics, 'few', 'controller'),
  count(kernel.deadLetters, 'few', 'queue'),
  count(kernel.waitingMessages, 'few', 'queue'),
  count(kernel.missedEvents, 'few', 'controller'),
  count(kernel.reconcilesOutOfTime, 'few', 'controller'),
  count(kernel.exhaustedReconciles, 'few', 'controller'),
  count(kernel.refusedMessages, 'few', 'controller', 'reason'),
  count(kernel.failedFollowUps, 'few', 'controller'),
  count(source.refusedSends, 'few', 'queue'),
  count(kernel.reconcileTotal, 'all', 'controller', 'result'),
  seconds(kernel.reconcileSeconds, 'controller'),
  count(kernel.workqueueAdds, 'all', 'name'),
  count(kernel.workqueueRetries, 'all', 'name'),
  seconds(kernel.workqueueQueueSeconds, 'name'),
  seconds(kernel.workqueueWorkSeconds, 'name'),
  count(kernel.webhookRequests, 'all', 'webhook', 'code'),
  seconds(kernel.webhookSeconds, 'webhook'),
  count(source.sourceEvents, 'all', 'type'),
  count(source.droppedEvents, 'all'),
  count(source.brokenEvents, 'all'),
  count(source.sourceFailures, 'all'),
  count(source.sentMessages, 'all', 'queue'),
];

/** Returns the dimension sets under which the metric is published at this level. Empty if it is not published. */
export function toDimensionSets(name: string, level: MetricLevel): readonly (readonly string[])[] {
  const metric = publishedMetrics.find(published => published.name === name);
  if (metric === undefined || level === 'off') {
    return [];
  }
  const byLabel = [deploymentDimension, ...metric.labels];
  if (level === 'all') {
    return metric.level === 'few' && metric.labels.length > 0 ? [[deploymentDimension], byLabel] : [byLabel];
  }
  return metric.level === 'few' ? [[deploymentDimension]] : [];
}

export function unitOf(name: string): PublishedMetric['unit'] {
  return publishedMetrics.find(published => published.name === name)?.unit ?? 'Count';
}
