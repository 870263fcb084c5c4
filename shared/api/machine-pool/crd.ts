// Definition of MachinePool (cluster.x-k8s.io/v1beta2).
import {
  clusterColumn,
  collectionSpec,
  collectionStatus,
  countColumns,
  scale,
  templateVersionColumn,
} from '../machine/collection-schema.ts';
import { providerId } from '../machine/spec-schema.ts';
import { machineInitialization } from '../machine/status-schema.ts';
import { coreGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, column, conditionColumn, toDefinition, wide } from '../schema/definition.ts';
import { atomicList, choice, filledObject, int32, object, text } from '../schema/json-schema.ts';
import { failureDomain } from '../schema/machine-parts.ts';
import { deprecated, deprecatedFailure } from '../schema/status-schemas.ts';

const maxMachines = 10_000;

const spec = object(
  'Desired state of the pool.',
  {
    ...collectionSpec,
    providerIDList: atomicList('The machines of the pool, as the infrastructure provider names them.', providerId, {
      maxItems: maxMachines,
    }),
    failureDomains: atomicList('Failure domains of the machines.', failureDomain('Name of a failure domain.'), {
      maxItems: 100,
    }),
  },
  { required: ['clusterName', 'template'] },
);

const nodeRef = object(
  'One Node.',
  {
    apiVersion: text('API version of the Node.'),
    kind: text('Kind, that is Node.'),
    name: text('Name of the Node.'),
    namespace: text('Empty for Nodes.'),
    uid: text('uid of the Node.'),
    resourceVersion: text('Version of the Node that was seen.'),
    fieldPath: text('Not used for Nodes.'),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const status = filledObject('Observed state of the pool.', {
  ...collectionStatus,
  initialization: machineInitialization,
  nodeRefs: atomicList('The Nodes of the pool.', nodeRef, { maxItems: maxMachines }),
  phase: choice('The lifecycle phase of the pool.', [
    'Pending',
    'Provisioning',
    'Provisioned',
    'Running',
    'ScalingUp',
    'ScalingDown',
    'Scaling',
    'Deleting',
    'Failed',
    'Unknown',
  ]),
  deprecated: deprecated({
    ...deprecatedFailure,
    readyReplicas: int32('Machines whose Node is ready.'),
    availableReplicas: int32('Machines whose Node has been ready long enough.'),
    unavailableReplicas: int32('Machines that are missing until all are available.'),
  }),
});

export const machinePoolCrd = toDefinition({
  description: 'A number of machines that the infrastructure provider manages as one.',
  group: coreGroup,
  version: coreVersion,
  kind: 'MachinePool',
  shortNames: ['mp'],
  labels: coreLabels,
  spec,
  status,
  scale,
  columns: [
    clusterColumn,
    ...countColumns,
    conditionColumn('Paused', { priority: wide }),
    column('Phase', '.status.phase'),
    ageColumn,
    templateVersionColumn,
  ],
});
