// The gates of a pass over a MachinePool: the finalizer, then the Paused condition.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, finalizerGate, pausedGate, type Stop } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';

export const poolFinalizer = 'machinepool.cluster.x-k8s.io';

export function pausedOf({ metadata }: WholeMachinePool, { spec }: Cluster): ReportedCondition {
  return pausedCondition({
    kind: 'MachinePool',
    annotations: metadata.annotations,
    isClusterPaused: spec.paused,
  });
}

export function gateOf(pool: WholeMachinePool, cluster: Cluster): EarlyEnd | Stop | undefined {
  return finalizerGate(pool, poolFinalizer) ?? pausedGate(pool, pausedOf(pool, cluster));
}
