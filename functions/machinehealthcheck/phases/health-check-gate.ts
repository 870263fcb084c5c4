// Whether a MachineHealthCheck is paused: by its Cluster or by its annotation.
import {
  type PauseGate,
  pausedCondition,
  pauseGate,
  type ReportedCondition,
} from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { MachineHealthCheck } from '../../../shared/api/machine-health-check/reader.ts';

export function pausedBy({ metadata }: MachineHealthCheck, cluster: Cluster): ReportedCondition {
  const { annotations } = metadata;
  return pausedCondition({ kind: 'MachineHealthCheck', annotations, isClusterPaused: cluster.spec.paused });
}

export function gateOf(check: MachineHealthCheck, cluster: Cluster): PauseGate {
  return pauseGate(check.status.conditions, pausedBy(check, cluster), check.metadata.generation);
}
