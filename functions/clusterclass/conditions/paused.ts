// Paused: whether the class is left alone.
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import type { ReportedCondition } from '../../../shared/conditions/condition.ts';
import * as paused from '../../../shared/conditions/paused.ts';

export function pausedCondition({ metadata }: ClusterClass): ReportedCondition {
  return paused.pausedCondition({ kind: 'ClusterClass', annotations: metadata.annotations });
}
