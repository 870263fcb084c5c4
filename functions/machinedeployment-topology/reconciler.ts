// The companion of managed topologies for MachineDeployments, as the kernel runs it.
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import type { Declaration, Reconciler } from '../../shared/kernel/types.ts';
import { decide } from '../../shared/template-cleanup/decide.ts';
import { toDeclaration } from '../../shared/template-cleanup/declaration.ts';
import { observe } from '../../shared/template-cleanup/observe.ts';
import { report } from '../../shared/template-cleanup/report.ts';
import type { Seen } from '../../shared/template-cleanup/seen.ts';
import { companion } from './companion.ts';

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

export const machineDeploymentTopologyReconciler: Reconciler<object, Seen> = {
  declaration: machineDeploymentTopologyDeclaration,
  observe: (primary, ask) => observe(primary, ask, companion),
  decide,
  report,
};
