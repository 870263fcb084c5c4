// Schema of `Cluster.status`.
import { atomicList, choice, filledObject, flag, int32, listByKeys, object, textMap } from '../schema/json-schema.ts';
import { failureDomain, kubernetesVersion } from '../schema/machine-parts.ts';
import {
  conditions,
  deprecated,
  deprecatedFailure,
  machineCounters,
  observedGeneration,
  versionList,
} from '../schema/status-schemas.ts';

const failureDomainItem = object(
  'One failure domain.',
  {
    name: failureDomain('Name of the failure domain.'),
    controlPlane: flag('Whether control plane Machines may be placed there.'),
    attributes: textMap('Further attributes from the infrastructure provider.'),
  },
  { required: ['name'] },
);

/** Failure domains as a list, as in contract v1beta2. */
export const failureDomains = listByKeys(
  'Failure domains that Machines can be placed in.',
  ['name'],
  failureDomainItem,
  {
    minItems: 1,
    maxItems: 100,
  },
);

const upgradeStep = object(
  'One intermediate version.',
  { version: kubernetesVersion('Kubernetes version.') },
  { required: ['version'] },
);

const upgradePlan = atomicList('Pending versions of an upgrade, in order.', upgradeStep, {
  minItems: 1,
  maxItems: 32,
});

const machineSummary = {
  desiredReplicas: int32('Desired number of Machines.'),
  ...machineCounters,
  versions: versionList,
  upgradePlan,
};

export const clusterStatus = filledObject('Observed state of the cluster.', {
  conditions,
  initialization: filledObject('Milestones; once true they stay true.', {
    infrastructureProvisioned: flag('The infrastructure was provisioned.'),
    controlPlaneInitialized: flag('The control plane accepted requests for the first time.'),
  }),
  controlPlane: object('Numbers of control plane Machines.', machineSummary),
  workers: object('Numbers of worker Machines.', machineSummary),
  failureDomains,
  phase: choice('The lifecycle phase of the Cluster.', [
    'Pending',
    'Provisioning',
    'Provisioned',
    'Deleting',
    'Failed',
    'Unknown',
  ]),
  observedGeneration,
  deprecated: deprecated(deprecatedFailure),
});
