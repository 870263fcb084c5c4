// Definition of SimulatedControlPlane: a control plane that only counts its machines, in contract v1beta2.

import { controlPlaneEndpoint } from '../../../shared/api/cluster/spec-schema.ts';
import { movedByClusterctl } from '../../../shared/api/schema/core.ts';
import {
  ageColumn,
  column,
  conditionColumn,
  countColumn,
  toDefinition,
} from '../../../shared/api/schema/definition.ts';
import { anyObject, filledObject, flag, int32, object, textMap, time } from '../../../shared/api/schema/json-schema.ts';
import { kubernetesVersion } from '../../../shared/api/schema/machine-parts.ts';
import { conditions, machineCounters, versionList } from '../../../shared/api/schema/status-schemas.ts';
import { clusterColumn, controlPlaneGroup, controlPlaneRollout, durations, readyColumn } from './parts.ts';

const spec = object(
  'Desired state of the simulated control plane.',
  {
    version: kubernetesVersion('Desired Kubernetes version.'),
    replicas: int32('Desired number of control plane machines.', { minimum: 0, default: 1 }),
    machineTemplate: anyObject(
      'The template of the Machines. Without an infrastructureRef in its spec, no Machine is created: only the replica counters change.',
    ),
    rollout: controlPlaneRollout,
    settings: textMap('Settings of the control plane. Stored unchanged.'),
    controlPlaneEndpoint,
    ...durations,
  },
  { required: ['version'] },
);

const status = object('Observed state of the simulated control plane.', {
  conditions,
  initialization: filledObject('Milestones; once true they stay true.', {
    controlPlaneInitialized: flag('The control plane accepted requests for the first time.'),
  }),
  version: kubernetesVersion('The version that all machines run.'),
  versions: versionList,
  ...machineCounters,
  rollout: object('The current or last change.', {
    startedAt: time('When it began.'),
    version: kubernetesVersion('The version it leads to.'),
    replicas: int32('The number of machines it leads to.'),
  }),
});

export const simulatedControlPlaneCrd = toDefinition({
  description: 'A control plane whose machines exist only as counters.',
  group: controlPlaneGroup,
  version: 'v1beta2',
  kind: 'SimulatedControlPlane',
  labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2', ...movedByClusterctl },
  spec,
  status,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    clusterColumn,
    column('Initialized', '.status.initialization.controlPlaneInitialized'),
    readyColumn,
    countColumn('Desired', '.spec.replicas'),
    countColumn('Current', '.status.replicas'),
    countColumn('Available', '.status.availableReplicas'),
    conditionColumn('Paused', { priority: 1 }),
    ageColumn,
    column('Version', '.status.version'),
  ],
});
