// Determines the first write of a pass, before the objects of the MachineSet are read: the finalizer, then the Paused
// condition.
import {
  type PauseGate,
  pausedCondition,
  pauseGate,
  type ReportedCondition,
} from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';

export const setFinalizer = 'cluster.x-k8s.io/machineset';

export function isDeleting({ metadata }: Pick<WholeMachineSet, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function needsFinalizer(machineSet: WholeMachineSet): boolean {
  return !isDeleting(machineSet) && !machineSet.metadata.finalizers.includes(setFinalizer);
}

export function setPausedCondition({ metadata }: WholeMachineSet, isClusterPaused: boolean): ReportedCondition {
  return pausedCondition({ kind: 'MachineSet', annotations: metadata.annotations, isClusterPaused });
}

/** A MachineSet in deletion whose Cluster is gone can only be paused by its annotation. */
export function gateOf(machineSet: WholeMachineSet, cluster: Cluster | undefined): PauseGate {
  const wanted = setPausedCondition(machineSet, cluster?.spec.paused === true);
  return pauseGate(machineSet.status.conditions, wanted, machineSet.metadata.generation);
}
