// The reconcilers of the simulated provider and their declarations.
import type { Declaration } from '@capi-serverless/reconciler';
import { simulatedMachine } from './machines/machine.ts';
import { simulatedMachineDeployment } from './machines/machine-deployment.ts';
import { simulatedMachineHealthCheck } from './machines/machine-health-check.ts';
import { simulatedMachinePool } from './machines/machine-pool.ts';
import { simulatedMachineSet } from './machines/machine-set.ts';
import { simulatedCluster } from './simulated-cluster.ts';
import { simulatedControlPlane } from './simulated-control-plane.ts';
import { simulatedLegacyCluster } from './simulated-legacy-cluster.ts';
import type { SimulatedProviderReconciler } from './simulated-loss.ts';

export const simulatedReconcilers: readonly SimulatedProviderReconciler[] = [
  simulatedCluster,
  simulatedLegacyCluster,
  simulatedControlPlane,
];

export const simulatedDeclarations: readonly Declaration[] = simulatedReconcilers.map(({ declaration }) => declaration);

/**
 * Machine controllers for Machines on simulated infrastructure. This product does not include the Machine controllers
 * of Cluster API.
 */
export const machineReconcilers: readonly SimulatedProviderReconciler[] = [
  simulatedMachineDeployment,
  simulatedMachineSet,
  simulatedMachine,
  simulatedMachinePool,
  simulatedMachineHealthCheck,
];

/** All reconcilers that run in addition to the functions of this product in a local run. */
export const localDeclarations: readonly Declaration[] = [
  ...simulatedDeclarations,
  ...machineReconcilers.map(({ declaration }) => declaration),
];
