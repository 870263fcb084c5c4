// The Lambda function of the SimulatedCluster queue.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedCluster } from '../simulated-cluster.ts';

export const handler = reconcilerHandler(simulatedCluster);
