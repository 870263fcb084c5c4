// The declaration of the cleanup reconciler for MachineSets of managed topologies.
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { toDeclaration } from '../../shared/template-cleanup/declaration.ts';

export const machineSetTopologyDeclaration = toDeclaration({
  name: 'machineset-topology',
  kind: 'MachineSet',
  eventSource: 'topology/machineset-controller',
  rules: [
    {
      apiGroups: [clusterGroup],
      resources: ['machinesets'],
      verbs: ['get', 'list', 'patch'],
      why: 'reads the MachineSet, sets and removes its finalizer, finds templates in use',
    },
    { apiGroups: [clusterGroup], resources: ['machinedeployments'], verbs: ['get'], why: 'finds templates in use' },
  ],
});
