// The reconcilers of the simulated provider and their declarations.
import type { Declaration } from '@capi-serverless/reconciler';
import { simulatedControlPlaneMachine } from './machines/control-plane-machine.ts';
import { simulatedBootstrapConfig } from './machines/simulated-bootstrap-config.ts';
import { simulatedMachine } from './machines/simulated-machine.ts';
import { simulatedMachinePool } from './machines/simulated-machine-pool.ts';
import { simulatedCluster } from './simulated-cluster.ts';
import { simulatedControlPlane } from './simulated-control-plane.ts';
import { simulatedLegacyCluster } from './simulated-legacy-cluster.ts';
import type { SimulatedProviderReconciler } from './simulated-loss.ts';

export const simulatedReconcilers: readonly SimulatedProviderReconciler[] = [
  simulatedCluster,
  simulatedLegacyCluster,
  simulatedControlPlane,
  simulatedMachine,
  simulatedMachinePool,
  simulatedBootstrapConfig,
];

export const simulatedDeclarations: readonly Declaration[] = simulatedReconcilers.map(({ declaration }) => declaration);

/** Sets the conditions of Machines that a control plane provider sets. */
export const machineReconcilers: readonly SimulatedProviderReconciler[] = [simulatedControlPlaneMachine];

/** All reconcilers that run in addition to the functions of this product in a local run. */
export const localDeclarations: readonly Declaration[] = [
  ...simulatedDeclarations,
  ...machineReconcilers.map(({ declaration }) => declaration),
];
