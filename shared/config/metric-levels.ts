// Which metrics a deployment publishes.
export const metricLevels = ['off', 'few', 'all'] as const;
/**
 * `few`: rare events only, so that an idle deployment has no metric costs. `all`: also by controller, queue and reason.
 */
export type MetricLevel = (typeof metricLevels)[number];
