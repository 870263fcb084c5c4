// SimulatedLegacyCluster: the same infrastructure with contract v1beta1.
import { defineSimulatedInfrastructure } from './simulated-infrastructure.ts';

export const simulatedLegacyCluster = defineSimulatedInfrastructure({
  kind: 'SimulatedLegacyCluster',
  contract: 'v1beta1',
  version: 'v1beta1',
});
