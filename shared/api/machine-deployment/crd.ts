// Definition of MachineDeployment (cluster.x-k8s.io/v1beta2).
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
import { ageColumn, column, conditionColumn, toDefinition, wide } from '../schema/definition.ts';
import { choice, filledObject, flag, int32, object } from '../schema/json-schema.ts';
import { collectionDeletion, maxInFlight, rolloutAfter, rolloutStrategy } from '../schema/machine-parts.ts';
import { deprecated, scaleSelector } from '../schema/status-schemas.ts';

const spec = object(
  'Desired state of the deployment.',
  {
    ...collectionSpec,
    ...selectingSpec,
    rollout: filledObject('When and how Machines are replaced.', { after: rolloutAfter, strategy: rolloutStrategy }),
    remediation: filledObject('How unhealthy Machines are replaced.', { maxInFlight }),
    deletion: collectionDeletion,
    paused: flag('While true, changes of the template are not rolled out.'),
  },
  { required: ['clusterName', 'selector', 'template'] },
);

const status = filledObject('Observed state of the deployment.', {
  ...collectionStatus,
  selector: scaleSelector,
  phase: choice('The lifecycle phase of the deployment.', ['ScalingUp', 'ScalingDown', 'Running', 'Failed', 'Unknown']),
  deprecated: deprecated({
    updatedReplicas: int32('Machines made from the current template.'),
    readyReplicas: int32('Machines whose Node is ready.'),
    availableReplicas: int32('Machines whose Node has been ready long enough.'),
    unavailableReplicas: int32('Machines that are missing until all are available.'),
  }),
});

export const machineDeploymentCrd = toDefinition({
  description: 'Keeps a number of equal Machines and replaces them step by step when their template changes.',
  group: coreGroup,
  version: coreVersion,
  kind: 'MachineDeployment',
  shortNames: ['md'],
  labels: coreLabels,
  spec,
  status,
  scale: scaleWithSelector,
  columns: [
    clusterColumn,
    conditionColumn('Available'),
    ...countColumns,
    conditionColumn('Paused', { priority: wide }),
    column('Phase', '.status.phase'),
    ageColumn,
    templateVersionColumn,
  ],
});
