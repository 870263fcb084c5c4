// The gates of a pass over a Machine, before its objects are used: the finalizer, then the Paused condition.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, finalizerGate, pausedGate, type Stop } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';

export const machineFinalizer = 'machine.cluster.x-k8s.io';

/** The condition Paused. A Machine in deletion whose Cluster is gone can only be paused by its annotation. */
export function pausedOf({ metadata }: WholeMachine, cluster: Cluster | undefined): ReportedCondition {
  const isClusterPaused = cluster?.spec.paused === true;
  return pausedCondition({ kind: 'Machine', annotations: metadata.annotations, isClusterPaused });
}

export function gateOf(machine: WholeMachine, cluster: Cluster | undefined): EarlyEnd | Stop | undefined {
  return finalizerGate(machine, machineFinalizer) ?? pausedGate(machine, pausedOf(machine, cluster));
}
