// The Lambda function of the queue for Machines on simulated infrastructure.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedMachine } from '../machines/machine.ts';

export const handler = reconcilerHandler(simulatedMachine);
