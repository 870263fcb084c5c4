// What goes with a MachineDeployment of a managed topology: its MachineHealthCheck, and the templates that no MachineSet
// uses any more.
import { type Checked, invalid, valid } from '../../shared/api/checked.ts';
import { clusterApiVersion } from '../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { toDisplayName, toRef, type Unstructured } from '../../shared/api/object.ts';
import type { Reads } from '../../shared/kernel/types.ts';
import type { Companion } from '../../shared/template-cleanup/observe.ts';
import { failureText } from '../../shared/template-cleanup/seen.ts';

export const machineDeploymentTopologyFinalizer = 'machinedeployment.topology.cluster.x-k8s.io';

export const companion: Companion = {
  finalizer: machineDeploymentTopologyFinalizer,
  users: listMachineSets,
  // Of the same name: it is the topology's.
  companions: object => [{ ...toRef(object), kind: 'MachineHealthCheck' }],
};

async function listMachineSets({ metadata }: Unstructured, ask: Reads): Promise<Checked<readonly Unstructured[]>> {
  const { namespace = '', name } = metadata;
  const labels = { [deploymentNameLabel]: name };
  const listed = await ask.list({ apiVersion: clusterApiVersion, kind: 'MachineSet', namespace, labels });
  const what = `failed to list MachineSets for MachineDeployment ${toDisplayName(metadata)}`;
  return listed.ok ? valid(listed.value) : invalid(failureText(what, listed.failure));
}
