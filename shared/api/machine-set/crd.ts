// Definition of MachineSet (cluster.x-k8s.io/v1beta2).
import {
  clusterColumn,
  collectionSpec,
  collectionStatus,
  countColumns,
  scaleWithSelector,
  selectingSpec,
  templateVersionColumn,
} from '../machine/collection-schema.ts';
import { coreGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, conditionColumn, toDefinition, wide } from '../schema/definition.ts';
import { filledObject, int32, object } from '../schema/json-schema.ts';
import { collectionDeletion } from '../schema/machine-parts.ts';
import { deprecated, deprecatedFailure, scaleSelector } from '../schema/status-schemas.ts';

const spec = object(
  'Desired state of the set.',
  { ...collectionSpec, ...selectingSpec, deletion: collectionDeletion },
  { required: ['clusterName', 'selector', 'template'] },
);

const status = filledObject('Observed state of the set.', {
  ...collectionStatus,
  selector: scaleSelector,
  deprecated: deprecated({
    ...deprecatedFailure,
    readyReplicas: int32('Machines whose Node is ready.'),
    availableReplicas: int32('Machines whose Node has been ready long enough.'),
    fullyLabeledReplicas: int32('Machines with all labels of the template.'),
  }),
});

export const machineSetCrd = toDefinition({
  description: 'Keeps a number of equal Machines.',
  group: coreGroup,
  version: coreVersion,
  kind: 'MachineSet',
  shortNames: ['ms'],
  labels: coreLabels,
  spec,
  status,
  scale: scaleWithSelector,
  columns: [
    clusterColumn,
    ...countColumns,
    conditionColumn('Paused', { priority: wide }),
    ageColumn,
    templateVersionColumn,
  ],
});
