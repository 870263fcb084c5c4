// The reconcilers of the simulated provider and their declarations.
import type { Declaration } from '@capi-serverless/reconciler';
import { simulatedControlPlaneMachine } from './machines/control-plane-machine.ts';
import { simulatedMachinePool } from './machines/machine-pool.ts';
import { simulatedBootstrapConfig } from './machines/simulated-bootstrap-config.ts';
import { simulatedMachine } from './machines/simulated-machine.ts';
import { simulatedCluster } from './simulated-cluster.ts';
import { simulatedControlPlane } from './simulated-control-plane.ts';
import { simulatedLegacyCluster } from './simulated-legacy-cluster.ts';
import type { SimulatedProviderReconciler } from './simulated-loss.ts';

export const simulatedReconcilers: readonly SimulatedProviderReconciler[] = [
  simulatedCluster,
  simulatedLegacyCluster,
  simulatedControlPlane,
  simulatedMachine,
  simulatedBootstrapConfig,
];

export const simulatedDeclarations: readonly Declaration[] = simulatedReconcilers.map(({ declaration }) => declaration);

/**
 * Controllers of collections of Machines on simulated infrastructure, which this product does not include. Machines are
 * reconciled by the functions of this product.
 */
export const machineReconcilers: readonly SimulatedProviderReconciler[] = [
  simulatedControlPlaneMachine,
  simulatedMachinePool,
];

/** All reconcilers that run in addition to the functions of this product in a local run. */
export const localDeclarations: readonly Declaration[] = [
  ...simulatedDeclarations,
  ...machineReconcilers.map(({ declaration }) => declaration),
];
