// The definitions of the simulated provider's kinds.
import type { CustomResourceDefinition } from '../../../../shared/api/schema/definition.ts';
import { simulatedClusterCrd } from './simulated-cluster.ts';
import { simulatedControlPlaneCrd } from './simulated-control-plane.ts';
import { simulatedLegacyClusterCrd } from './simulated-legacy-cluster.ts';

export { simulatedClusterCrd, simulatedControlPlaneCrd, simulatedLegacyClusterCrd };

export const simulatedCrds: readonly CustomResourceDefinition[] = [
  simulatedClusterCrd,
  simulatedLegacyClusterCrd,
  simulatedControlPlaneCrd,
];
