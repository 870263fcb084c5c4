// The Lambda function of the queue for Machines of simulated control planes.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedControlPlaneMachine } from '../machines/control-plane-machine.ts';

export const handler = reconcilerHandler(simulatedControlPlaneMachine);
