// The Lambda function of the queue for MachinePools on simulated infrastructure.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedMachinePool } from '../machines/machine-pool.ts';

export const handler = reconcilerHandler(simulatedMachinePool);
