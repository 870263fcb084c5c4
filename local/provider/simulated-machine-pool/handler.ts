// The Lambda function of the SimulatedMachinePool queue.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedMachinePool } from '../machines/simulated-machine-pool.ts';

export const handler = reconcilerHandler(simulatedMachinePool);
