// The cleanup reconciler for MachineDeployments of managed topologies: its declaration and its rules.
import { cleanupReconciler } from '../../shared/template-cleanup/reconciler.ts';
import { machineDeploymentCleanup } from './cleanup.ts';
import { machineDeploymentTopologyDeclaration } from './declaration.ts';

export const machineDeploymentTopologyReconciler = cleanupReconciler(
  machineDeploymentTopologyDeclaration,
  machineDeploymentCleanup,
);
