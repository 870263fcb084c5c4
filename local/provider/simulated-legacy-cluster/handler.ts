// The Lambda function of the SimulatedLegacyCluster queue.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedLegacyCluster } from '../simulated-legacy-cluster.ts';

export const handler = reconcilerHandler(simulatedLegacyCluster);
