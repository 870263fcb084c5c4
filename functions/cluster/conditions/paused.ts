// Paused: whether the Cluster is left alone, and by which of the two switches.
import { type Cluster, pausedAnnotation } from '../../../shared/api/cluster/reader.ts';
import type { ReportedCondition } from '../../../shared/conditions/condition.ts';

export function pausedCondition({ spec, metadata }: Cluster): ReportedCondition {
  const switches = [
    ...(spec.paused ? ['Cluster spec.paused is set to true'] : []),
    ...(pausedAnnotation in metadata.annotations ? [`Cluster has the ${pausedAnnotation} annotation`] : []),
  ];
  return switches.length > 0
    ? { type: 'Paused', status: 'True', reason: 'Paused', message: switches.join(', ') }
    : { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' };
}
