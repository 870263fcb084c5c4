// The function behind the queue of SimulatedClusters.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedCluster } from '../simulated-cluster.ts';

export const handler = reconcilerHandler(simulatedCluster);
