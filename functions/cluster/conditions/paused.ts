// Paused: whether the Cluster is left alone, and by which of the two switches.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { ReportedCondition } from '../../../shared/conditions/condition.ts';
import * as paused from '../../../shared/conditions/paused.ts';

export function pausedCondition({ spec, metadata }: Cluster): ReportedCondition {
  const { annotations } = metadata;
  return paused.pausedCondition({ kind: 'Cluster', annotations, isSpecPaused: spec.paused });
}
