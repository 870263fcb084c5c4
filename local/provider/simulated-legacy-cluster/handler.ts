// The function behind the queue of SimulatedLegacyClusters.
import { reconcilerHandler } from '../../../shared/lambda/reconciler-handler.ts';
import { simulatedLegacyCluster } from '../simulated-legacy-cluster.ts';

export const handler = reconcilerHandler(simulatedLegacyCluster);
