// The definitions of the simulated provider's kinds.
import type { CustomResourceDefinition } from '../../../shared/api/schema/definition.ts';
import { reconciledMemberCrds } from './machines.ts';
import { simulatedClusterCrd } from './simulated-cluster.ts';
import { simulatedControlPlaneCrd } from './simulated-control-plane.ts';
import { simulatedLegacyClusterCrd } from './simulated-legacy-cluster.ts';
import { simulatedTemplateCrds } from './simulated-templates.ts';

export { simulatedClusterCrd };

/** The kinds that the provider reconciles. */
export const reconciledCrds: readonly CustomResourceDefinition[] = [
  simulatedClusterCrd,
  simulatedLegacyClusterCrd,
  simulatedControlPlaneCrd,
  ...reconciledMemberCrds,
];

export const simulatedCrds: readonly CustomResourceDefinition[] = [...reconciledCrds, ...simulatedTemplateCrds];
