// Maps events to the MachineDeployments that they enqueue. Machines are not watched: their MachineSet reports them.
import type { Watch } from '@capi-serverless/reconciler';
import { coreKind } from '../../shared/api/cluster/reader.ts';
import { clusterPauses, controlledWatch } from '../../shared/api/member-watches.ts';

export const machineDeploymentKind = coreKind('MachineDeployment');

export const machineDeploymentWatches: readonly Watch[] = [
  controlledWatch('MachineSet', 'MachineDeployment'),
  clusterPauses(),
];
