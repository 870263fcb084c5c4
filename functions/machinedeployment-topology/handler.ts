// The Lambda function of the queue for MachineDeployments of managed topologies.
import { reconcilerHandler } from '../../shared/lambda/reconciler-handler.ts';
import { machineDeploymentTopologyReconciler } from './reconciler.ts';

export const handler = reconcilerHandler(machineDeploymentTopologyReconciler);
