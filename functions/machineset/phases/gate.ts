// The gates of a pass over a MachineSet, before its objects are read: the finalizer, then the Paused condition.
import { pausedCondition } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, finalizerGate, pausedGate, type Stop } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';

export const setFinalizer = 'cluster.x-k8s.io/machineset';

/** A MachineSet in deletion whose Cluster is gone can only be paused by its annotation. */
export function gateOf(machineSet: WholeMachineSet, cluster: Cluster | undefined): EarlyEnd | Stop | undefined {
  const { annotations } = machineSet.metadata;
  const isClusterPaused = cluster?.spec.paused === true;
  const paused = pausedCondition({ kind: 'MachineSet', annotations, isClusterPaused });
  return finalizerGate(machineSet, setFinalizer) ?? pausedGate(machineSet, paused);
}
