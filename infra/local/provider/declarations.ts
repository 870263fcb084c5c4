// The reconcilers of the simulated provider and their declarations.
import type { Declaration } from '../../../shared/kernel/types.ts';
import { simulatedCluster } from './simulated-cluster.ts';
import { simulatedControlPlane } from './simulated-control-plane.ts';
import { simulatedLegacyCluster } from './simulated-legacy-cluster.ts';
import type { SimulatedReconciler } from './vanishing.ts';

export const simulatedReconcilers: readonly SimulatedReconciler[] = [
  simulatedCluster,
  simulatedLegacyCluster,
  simulatedControlPlane,
];

export const simulatedDeclarations: readonly Declaration[] = simulatedReconcilers.map(({ declaration }) => declaration);
