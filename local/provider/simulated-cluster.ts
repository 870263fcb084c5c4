// SimulatedCluster: simulated infrastructure with contract v1beta2.
import { defineSimulatedInfrastructure } from './simulated-infrastructure.ts';

export const simulatedCluster = defineSimulatedInfrastructure({
  kind: 'SimulatedCluster',
  contract: 'v1beta2',
  version: 'v1beta2',
});
