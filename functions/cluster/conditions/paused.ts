// The condition Paused. It reports whether reconciliation is paused, and whether spec.paused or the annotation pauses
// it.

import { type ReportedCondition, pausedCondition as toPausedCondition } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';

export function pausedCondition({ spec, metadata }: Cluster): ReportedCondition {
  const { annotations } = metadata;
  return toPausedCondition({ kind: 'Cluster', annotations, isClusterPaused: spec.paused });
}
