// Whether a MachineHealthCheck is paused: by its Cluster or by its annotation. There is no finalizer.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { MachineHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';

export function pausedOf({ metadata }: MachineHealthCheck, cluster: Cluster): ReportedCondition {
  const { annotations } = metadata;
  return pausedCondition({ kind: 'MachineHealthCheck', annotations, isClusterPaused: cluster.spec.paused });
}
