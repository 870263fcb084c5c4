// Maps events to the MachineSets that they enqueue.
import type { Watch } from '@capi-serverless/reconciler';
import { coreKind } from '../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { clusterPauses, controlledWatch, primariesLabelled } from '../../shared/api/member-watches.ts';
import { ownerVersion } from '../../shared/machine-collections/owner-version.ts';

export const machineSetKind = coreKind('MachineSet');

export const machineSetWatches: readonly Watch[] = [
  controlledWatch('Machine', 'MachineSet'),
  {
    source: coreKind('MachineDeployment'),
    as: 'metadata',
    map: () => 'expand',
    versionOf: ownerVersion,
    ...primariesLabelled(deploymentNameLabel),
  },
  clusterPauses(),
];
