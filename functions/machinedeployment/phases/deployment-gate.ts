// Determines the first write of a pass, before the objects of the deployment are read: the finalizer, then the Paused
// condition.
import {
  type PauseGate,
  pausedCondition,
  pauseGate,
  type ReportedCondition,
} from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';

export const deploymentFinalizer = 'cluster.x-k8s.io/machinedeployment';

export function isDeleting({ metadata }: Pick<WholeMachineDeployment, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function needsFinalizer(deployment: WholeMachineDeployment): boolean {
  return !isDeleting(deployment) && !deployment.metadata.finalizers.includes(deploymentFinalizer);
}

export function deploymentPausedCondition(
  { metadata }: WholeMachineDeployment,
  isClusterPaused: boolean,
): ReportedCondition {
  return pausedCondition({ kind: 'MachineDeployment', annotations: metadata.annotations, isClusterPaused });
}

/** A deployment in deletion whose Cluster is gone can only be paused by its annotation. */
export function gateOf(deployment: WholeMachineDeployment, cluster: Cluster | undefined): PauseGate {
  const wanted = deploymentPausedCondition(deployment, cluster?.spec.paused === true);
  return pauseGate(deployment.status.conditions, wanted, deployment.metadata.generation);
}
