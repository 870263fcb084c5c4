// Which of our metrics become metrics of CloudWatch, under which dimensions: what is not listed stands in the logs alone. Pure.
import * as source from '../event-source/metrics.ts';
import * as kernel from '../kernel/metrics.ts';

export const metricLevels = ['off', 'few', 'all'] as const;
/** `few`: what rarely happens, so that a quiet deployment has no metric that costs; `all`: by controller, queue and reason too. */
export type MetricLevel = (typeof metricLevels)[number];

export const metricNamespace = 'capi-serverless';
/** Every metric has this dimension; with `few` it is the only one. */
export const deploymentDimension = 'deployment';

export interface PublishedMetric {
  readonly name: string;
  readonly unit: 'Count' | 'Seconds';
  readonly level: Exclude<MetricLevel, 'off'>;
  /** Labels that become dimensions with `all`: never what users choose, such as names or kinds of objects. */
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
  count(kernel.refusedMessages, 'few', 'controller', 'reason'),
  count(kernel.failedFollowUps, 'few', 'controller'),
  count(source.refusedSends, 'few', 'queue'),
  count(kernel.reconcileTotal, 'all', 'controller', 'result'),
  seconds(kernel.reconcileSeconds, 'controller'),
  count(kernel.workqueueAdds, 'all', 'name'),
  count(kernel.workqueueRetries, 'all', 'name'),
  seconds(kernel.workqueueQueueSeconds, 'name'),
  seconds(kernel.workqueueWorkSeconds, 'name'),
  count(source.sourceEvents, 'all', 'type'),
  count(source.droppedEvents, 'all'),
  count(source.brokenEvents, 'all'),
  count(source.sourceFailures, 'all'),
  count(source.sentMessages, 'all', 'queue'),
];

/** The dimension sets under which it is published at that level; none: not at all. */
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
