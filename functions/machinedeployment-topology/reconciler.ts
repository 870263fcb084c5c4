// Deletes the objects of a MachineDeployment of a managed topology: its MachineHealthCheck, and the templates that no
// MachineSet uses.
import { toRef } from '@capi-serverless/apimachinery';
import { listMachineSets } from '../../shared/template-cleanup/list-machine-sets.ts';
import type { CleanupRules } from '../../shared/template-cleanup/observe.ts';
import { cleanupReconciler } from '../../shared/template-cleanup/reconciler.ts';
import { machineDeploymentTopologyDeclaration } from './declaration.ts';

export const machineDeploymentTopologyFinalizer = 'machinedeployment.topology.cluster.x-k8s.io';

const machineDeploymentCleanup: CleanupRules = {
  finalizer: machineDeploymentTopologyFinalizer,
  users: ({ metadata }, ask) => listMachineSets(metadata, ask),
  // The topology reconciler gives the MachineHealthCheck the name of the MachineDeployment.
  dependents: object => [{ ...toRef(object), kind: 'MachineHealthCheck' }],
};

export const machineDeploymentTopologyReconciler = cleanupReconciler(
  machineDeploymentTopologyDeclaration,
  machineDeploymentCleanup,
);
