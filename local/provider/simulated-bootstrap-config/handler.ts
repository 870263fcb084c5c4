// The Lambda function of the SimulatedBootstrapConfig queue.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedBootstrapConfig } from '../machines/simulated-bootstrap-config.ts';

export const handler = reconcilerHandler(simulatedBootstrapConfig);
