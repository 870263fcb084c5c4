// The declaration of the cleanup reconciler for MachineDeployments of managed topologies.
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { toDeclaration } from '../../shared/template-cleanup/declaration.ts';

export const machineDeploymentTopologyDeclaration = toDeclaration({
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
