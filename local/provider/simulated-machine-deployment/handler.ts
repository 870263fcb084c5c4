// The Lambda function of the queue for MachineDeployments on simulated infrastructure.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedMachineDeployment } from '../machines/machine-deployment.ts';

export const handler = reconcilerHandler(simulatedMachineDeployment);
