// The companion of managed topologies for MachineSets, as the kernel runs it.
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import type { Declaration, Reconciler } from '../../shared/kernel/types.ts';
import { decide } from '../../shared/template-cleanup/decide.ts';
import { toDeclaration } from '../../shared/template-cleanup/declaration.ts';
import { observe } from '../../shared/template-cleanup/observe.ts';
import { report } from '../../shared/template-cleanup/report.ts';
import type { Seen } from '../../shared/template-cleanup/seen.ts';
import { companion } from './companion.ts';

export const machineSetTopologyDeclaration: Declaration = toDeclaration({
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

export const machineSetTopologyReconciler: Reconciler<object, Seen> = {
  declaration: machineSetTopologyDeclaration,
  observe: (primary, ask) => observe(primary, ask, companion),
  decide,
  report,
};
