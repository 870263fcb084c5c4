// Deletes the objects of a MachineDeployment of a managed topology: its MachineHealthCheck, and the templates that no
// MachineSet uses.
import {
  type Checked,
  invalid,
  type Reads,
  toDisplayName,
  toRef,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import type { CleanupRules } from '../../shared/template-cleanup/observe.ts';
import { failureText } from '../../shared/template-cleanup/seen.ts';

export const machineDeploymentTopologyFinalizer = 'machinedeployment.topology.cluster.x-k8s.io';

export const machineDeploymentCleanup: CleanupRules = {
  finalizer: machineDeploymentTopologyFinalizer,
  users: listMachineSets,
  // The topology reconciler gives the MachineHealthCheck the name of the MachineDeployment.
  dependents: object => [{ ...toRef(object), kind: 'MachineHealthCheck' }],
};

async function listMachineSets({ metadata }: Unstructured, ask: Reads): Promise<Checked<readonly Unstructured[]>> {
  const { namespace = '', name } = metadata;
  const labels = { [deploymentNameLabel]: name };
  const listed = await ask.list({ apiVersion: clusterApiVersion, kind: 'MachineSet', namespace, labels });
  const what = `failed to list MachineSets for MachineDeployment ${toDisplayName(metadata)}`;
  return listed.ok ? valid(listed.value) : invalid(failureText(what, listed.failure));
}
