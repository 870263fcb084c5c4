// The Lambda function of the SimulatedMachine queue.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedMachine } from '../machines/simulated-machine.ts';

export const handler = reconcilerHandler(simulatedMachine);
