// Determines the first write of a pass, before the objects of the Machine are read: the finalizer, then the Paused
// condition.
import { type PauseGate, pauseGate, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { controlPlaneLabel } from '../../../shared/api/machine/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { machinePausedCondition } from '../conditions/machine-paused.ts';

export const machineFinalizer = 'machine.cluster.x-k8s.io';

export function isDeleting({ metadata }: WholeMachine): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isControlPlane({ metadata }: WholeMachine): boolean {
  return controlPlaneLabel in metadata.labels;
}

export function needsFinalizer(machine: WholeMachine): boolean {
  return !isDeleting(machine) && !machine.metadata.finalizers.includes(machineFinalizer);
}

/** A Machine in deletion whose Cluster is gone can only be paused by its annotation. */
export function pausedBy(machine: WholeMachine, cluster: Cluster | undefined): ReportedCondition {
  return machinePausedCondition(machine, cluster?.spec.paused === true);
}

export function gateOf(machine: WholeMachine, cluster: Cluster | undefined): PauseGate {
  return pauseGate(machine.status.conditions, pausedBy(machine, cluster), machine.metadata.generation);
}
