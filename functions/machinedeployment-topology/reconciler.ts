// The companion of managed topologies for MachineDeployments: with one goes its MachineHealthCheck, and the templates that
// no MachineSet uses any more.
import { type Checked, invalid, valid } from '../../shared/api/checked.ts';
import { clusterApiVersion, clusterGroup } from '../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { toDisplayName, type Unstructured } from '../../shared/api/object.ts';
import type { Declaration, Reads, Reconciler } from '../../shared/kernel/types.ts';
import { decide } from '../../shared/template-cleanup/decide.ts';
import { toDeclaration } from '../../shared/template-cleanup/declaration.ts';
import { type Companion, observe } from '../../shared/template-cleanup/observe.ts';
import { report } from '../../shared/template-cleanup/report.ts';
import { failureText, type Seen } from '../../shared/template-cleanup/seen.ts';

export const machineDeploymentTopologyFinalizer = 'machinedeployment.topology.cluster.x-k8s.io';

export const machineDeploymentTopologyDeclaration: Declaration = toDeclaration({
  name: 'machinedeployment-topology',
  kind: 'MachineDeployment',
  eventSource: 'topology/machinedeployment-controller',
  rules: [
    {
      apiGroups: [clusterGroup],
      resources: ['machinedeployments'],
      verbs: ['get', 'patch'],
      why: 'reads the MachineDeployment, sets and removes its finalizer',
    },
    { apiGroups: [clusterGroup], resources: ['machinesets'], verbs: ['list'], why: 'finds templates in use' },
    {
      apiGroups: [clusterGroup],
      resources: ['machinehealthchecks'],
      verbs: ['get', 'delete'],
      why: 'deletes the MachineHealthCheck with its MachineDeployment (reads its metadata only)',
    },
  ],
});

const companion: Companion = {
  finalizer: machineDeploymentTopologyFinalizer,
  users: listMachineSets,
  // Of the same name: it is the topology's.
  companions: ({ apiVersion, metadata: { namespace = '', name } }) => [
    { apiVersion, kind: 'MachineHealthCheck', namespace, name },
  ],
};

async function listMachineSets({ metadata }: Unstructured, ask: Reads): Promise<Checked<readonly Unstructured[]>> {
  const { namespace = '', name } = metadata;
  const labels = { [deploymentNameLabel]: name };
  const listed = await ask.list({ apiVersion: clusterApiVersion, kind: 'MachineSet', namespace, labels });
  const what = `failed to list MachineSets for MachineDeployment ${toDisplayName(metadata)}`;
  return listed.ok ? valid(listed.value) : invalid(failureText(what, listed.failure));
}

export const machineDeploymentTopologyReconciler: Reconciler<object, Seen> = {
  declaration: machineDeploymentTopologyDeclaration,
  observe: (primary, ask) => observe(primary, ask, companion),
  decide,
  report,
};
