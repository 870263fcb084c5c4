// Schema of `ClusterClass.spec`.
import { controlPlaneHealthCheckClass, machineDeploymentHealthCheckClass } from '../schema/health-check.ts';
import { atomicList, filledObject, filledText, type JsonSchema, listByKeys, object } from '../schema/json-schema.ts';
import {
  failureDomain,
  gates,
  kubernetesVersion,
  machineDeletion,
  minReadySeconds,
  orderedMachineDeletion,
  rolloutStrategy,
  taints,
} from '../schema/machine-parts.ts';
import { templateMetadata } from '../schema/metadata-schemas.ts';
import { versionedReference } from '../schema/reference-schemas.ts';
import { extensionName, patches } from './patches-schema.ts';
import { variables } from './variables-schema.ts';

const metadata = templateMetadata('Labels and annotations for these objects and their Machines.');
const readinessGates = gates('Conditions that Ready of the Machines takes into account as well.');

const naming = filledObject('How the objects are named.', {
  template: filledText('A Go template of the name.', 1024),
});

function templated(description: string): JsonSchema {
  return object(description, { templateRef: versionedReference('The template.') }, { required: ['templateRef'] });
}

const infrastructure = object(
  'What the infrastructure of a Cluster is made from.',
  { templateRef: versionedReference('Template of the infrastructure object.'), naming },
  { required: ['templateRef'] },
);

const controlPlane = object(
  'What the control plane of a Cluster is made from.',
  {
    templateRef: versionedReference('Template of the control plane object.'),
    machineInfrastructure: templated('Infrastructure of the Machines, for control planes made of Machines.'),
    metadata,
    naming,
    healthCheck: controlPlaneHealthCheckClass,
    deletion: machineDeletion,
    taints,
    readinessGates,
  },
  { required: ['templateRef'] },
);

/** Fields that classes of MachineDeployments and of MachinePools share. */
const workerClass = {
  class: filledText('Name by which Clusters choose this class.', 256),
  metadata,
  naming,
  bootstrap: templated('What makes a machine join the cluster.'),
  infrastructure: templated('What the machines are made from.'),
  minReadySeconds,
  taints,
};

const requiredOfWorkers = ['class', 'bootstrap', 'infrastructure'] as const;

const machineDeploymentClass = object(
  'What MachineDeployments of this class are made from.',
  {
    ...workerClass,
    healthCheck: machineDeploymentHealthCheckClass,
    failureDomain: failureDomain('Failure domain of the Machines.'),
    deletion: orderedMachineDeletion,
    readinessGates,
    rollout: filledObject('How Machines are replaced.', { strategy: rolloutStrategy }),
  },
  { required: requiredOfWorkers },
);

const machinePoolClass = object(
  'What MachinePools of this class are made from.',
  {
    ...workerClass,
    failureDomains: atomicList('Failure domains of the machines.', failureDomain('Name of a failure domain.'), {
      maxItems: 100,
    }),
    deletion: machineDeletion,
  },
  { required: requiredOfWorkers },
);

const classLimits = { minItems: 1, maxItems: 100 };

export const clusterClassSpec = object(
  'What Clusters of this class are made from.',
  {
    availabilityGates: gates('Conditions that Available of the Clusters takes into account as well.'),
    infrastructure,
    controlPlane,
    workers: filledObject('Classes of workers among which Clusters choose.', {
      machineDeployments: listByKeys('Classes of MachineDeployments.', ['class'], machineDeploymentClass, classLimits),
      machinePools: listByKeys('Classes of MachinePools.', ['class'], machinePoolClass, classLimits),
    }),
    variables,
    patches,
    upgrade: filledObject('How Clusters of this class are upgraded.', {
      external: filledObject('An extension that computes the upgrade plan.', {
        generateUpgradePlanExtension: extensionName('Handler that plans the versions of an upgrade.'),
      }),
    }),
    kubernetesVersions: atomicList(
      'Kubernetes versions that Clusters of this class may have, in ascending order.',
      kubernetesVersion('Kubernetes version.'),
      { minItems: 1, maxItems: 100 },
    ),
  },
  { required: ['infrastructure', 'controlPlane'] },
);
