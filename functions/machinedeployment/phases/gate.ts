// The gates of a pass over a MachineDeployment, before its objects are read: the finalizer, then the Paused condition.
import { pausedCondition, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, finalizerGate, pausedGate, type Stop } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';

export const deploymentFinalizer = 'cluster.x-k8s.io/machinedeployment';

export function pausedOf({ metadata }: WholeMachineDeployment, isClusterPaused: boolean): ReportedCondition {
  return pausedCondition({ kind: 'MachineDeployment', annotations: metadata.annotations, isClusterPaused });
}

/** A deployment in deletion whose Cluster is gone can only be paused by its annotation. */
export function gateOf(deployment: WholeMachineDeployment, cluster: Cluster | undefined): EarlyEnd | Stop | undefined {
  const paused = pausedOf(deployment, cluster?.spec.paused === true);
  return finalizerGate(deployment, deploymentFinalizer) ?? pausedGate(deployment, paused);
}
