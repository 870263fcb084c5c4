// The Lambda function of the queue for MachineSets on simulated infrastructure.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedMachineSet } from '../machines/machine-set.ts';

export const handler = reconcilerHandler(simulatedMachineSet);
