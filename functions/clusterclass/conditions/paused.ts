// The condition Paused. It reports whether reconciliation of the class is paused.

import { type ReportedCondition, pausedCondition as toPausedCondition } from '@capi-serverless/cluster-api/conditions';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';

export function pausedCondition({ metadata }: ClusterClass): ReportedCondition {
  return toPausedCondition({ kind: 'ClusterClass', annotations: metadata.annotations });
}
