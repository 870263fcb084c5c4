// The Lambda function of the SimulatedControlPlane queue.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedControlPlane } from '../simulated-control-plane.ts';

export const handler = reconcilerHandler(simulatedControlPlane);
