// The common schema parts of MachineSet, MachineDeployment and MachinePool: scale paths, columns, spec and status
// fields.
import { column, countColumn, type PrinterColumn } from '../schema/definition.ts';
import { filledObject, filledText, int32 } from '../schema/json-schema.ts';
import { labelSelector } from '../schema/metadata-schemas.ts';
import { conditions, machineCounters, observedGeneration, versionsByKey } from '../schema/status-schemas.ts';
import { clusterName, machineTemplate } from './spec-schema.ts';

export const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } as const;

export const scaleWithSelector = { ...scale, labelSelectorPath: '.status.selector' } as const;

export const collectionSpec = {
  clusterName,
  replicas: int32('Desired number of Machines.'),
  template: machineTemplate,
};

/** Fields of the spec that select and name the Machines. */
export const selectingSpec = {
  selector: labelSelector('Finds the Machines; must match the labels of the template.'),
  machineNaming: filledObject('How Machines are named.', {
    template: filledText('Go template of the name; it must contain the random part.', 256),
  }),
};

export const collectionStatus = { conditions, ...machineCounters, versions: versionsByKey, observedGeneration };

export const countColumns: readonly PrinterColumn[] = [
  countColumn('Desired', '.spec.replicas'),
  countColumn('Current', '.status.replicas'),
  countColumn('Ready', '.status.readyReplicas'),
  countColumn('Available', '.status.availableReplicas'),
  countColumn('Up-to-date', '.status.upToDateReplicas'),
];

export const clusterColumn = column('Cluster', '.spec.clusterName');
export const templateVersionColumn = column('Version', '.spec.template.spec.version');
