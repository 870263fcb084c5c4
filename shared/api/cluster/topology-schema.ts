// Schema of `Cluster.spec.topology`: the settings of a Cluster that uses a ClusterClass.
import { controlPlaneHealthCheck, machineDeploymentHealthCheck } from '../schema/health-check.ts';
import {
  anyValue,
  atomicList,
  filledObject,
  filledText,
  int32,
  type JsonSchema,
  listByKeys,
  object,
} from '../schema/json-schema.ts';
import {
  failureDomain,
  gates,
  kubernetesVersion,
  machineDeletion,
  minReadySeconds,
  orderedMachineDeletion,
  rolloutAfter,
  rolloutStrategy,
  taints,
} from '../schema/machine-parts.ts';
import { templateMetadata } from '../schema/metadata-schemas.ts';
import { labelSizedName, namespaceName, objectName } from '../schema/name-schemas.ts';

const variable = object(
  'The value of one variable.',
  {
    name: filledText('Name of the variable, as the ClusterClass defines it.', 256),
    value: anyValue('The value; its schema is the one in the ClusterClass.'),
  },
  { required: ['name', 'value'] },
);

function variables(description: string): JsonSchema {
  return listByKeys(description, ['name'], variable, { minItems: 1, maxItems: 1000 });
}

const variableOverrides = filledObject('Variables that differ here.', {
  overrides: variables('Values that replace those of the Cluster.'),
});

const readinessGates = gates('Conditions that Ready of the Machines takes into account as well.');
const metadata = templateMetadata('Labels and annotations for these objects and their Machines.');

const controlPlane = filledObject('The control plane.', {
  metadata,
  replicas: int32('Desired number of control plane Machines; for control planes made of Machines.'),
  rollout: filledObject('When Machines are replaced.', { after: rolloutAfter }),
  healthCheck: controlPlaneHealthCheck,
  deletion: machineDeletion,
  taints,
  readinessGates,
  variables: variableOverrides,
});

/** Fields that MachineDeployments and MachinePools of a topology share. */
const worker = {
  metadata,
  class: filledText('Name of the class in the ClusterClass.', 256),
  name: labelSizedName('Name within the topology; part of the names of what is created.'),
  replicas: int32('Desired number of Machines.'),
  minReadySeconds,
  taints,
  variables: variableOverrides,
};

const machineDeployment = object(
  'One set of Machines, managed by a MachineDeployment.',
  {
    ...worker,
    failureDomain: failureDomain('Failure domain of the Machines.'),
    healthCheck: machineDeploymentHealthCheck,
    deletion: orderedMachineDeletion,
    readinessGates,
    rollout: filledObject('When and how Machines are replaced.', { after: rolloutAfter, strategy: rolloutStrategy }),
  },
  { required: ['class', 'name'] },
);

const machinePool = object(
  'One set of Machines, managed by a MachinePool.',
  {
    ...worker,
    failureDomains: atomicList('Failure domains of the Machines.', failureDomain('Name of a failure domain.'), {
      minItems: 1,
      maxItems: 100,
    }),
    deletion: machineDeletion,
  },
  { required: ['class', 'name'] },
);

const workerLimits = { minItems: 1, maxItems: 2000 };

export const topology = object(
  'Shape of the Cluster when it is built from a ClusterClass.',
  {
    classRef: object(
      'The ClusterClass.',
      {
        name: objectName('Name of the ClusterClass.'),
        namespace: namespaceName('Namespace of the ClusterClass. Default: the namespace of the Cluster.'),
      },
      { required: ['name'] },
    ),
    version: kubernetesVersion('Desired Kubernetes version.'),
    controlPlane,
    workers: filledObject('The workers.', {
      machineDeployments: listByKeys('MachineDeployments.', ['name'], machineDeployment, workerLimits),
      machinePools: listByKeys('MachinePools.', ['name'], machinePool, workerLimits),
    }),
    variables: variables('Values of variables for the whole Cluster.'),
  },
  { required: ['classRef', 'version'] },
);
