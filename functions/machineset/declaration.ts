// Declares the fields, permissions and watches of the MachineSet reconciler.
import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { contractVersionsRule, eventsRule } from '../../shared/api/policy-rules.ts';
import { ownedV1Beta1Conditions } from './conditions/deprecated-status.ts';
import { ownedConditions } from './conditions/machine-set-conditions.ts';
import { timeoutSeconds } from './phases/time-limit.ts';
import { machineSetKind, machineSetWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['machinesets'],
    verbs: ['get', 'patch'],
    why: 'reads the MachineSet and the one that gets its Machines, writes its finalizer, owner, label and reserved names',
  },
  { apiGroups: [clusterGroup], resources: ['machinesets/status'], verbs: ['patch'], why: 'reports status' },
  {
    apiGroups: [clusterGroup],
    resources: ['machines'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    why: 'creates and deletes Machines, adopts them, hands them over, keeps their metadata up to date',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machines/status'],
    verbs: ['patch'],
    why: 'reports the remediation of Machines',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['clusters', 'machinedeployments'],
    verbs: ['get'],
    why: 'reads the Cluster, and the revision and the limit of remediations of the MachineDeployment',
  },
  contractVersionsRule,
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    why: 'creates the infrastructure machine and the bootstrap config of each Machine from their templates, deletes orphaned ones',
  },
  {
    apiGroups: ['controlplane.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get'],
    why: 'reads the version of the control plane before it creates Machines',
  },
  eventsRule,
];

export const machineSetDeclaration = declare({
  name: 'machineset',
  primary: machineSetKind,
  timeoutSeconds,
  batchSize: 1,
  fieldManager: 'capi-serverless',
  eventSource: 'machineset-controller',
  owns: {
    conditions: ownedConditions,
    v1beta1: ownedV1Beta1Conditions,
    status: [
      'selector',
      'replicas',
      'readyReplicas',
      'availableReplicas',
      'upToDateReplicas',
      'versions',
      'observedGeneration',
      'deprecated.v1beta1.fullyLabeledReplicas',
      'deprecated.v1beta1.readyReplicas',
      'deprecated.v1beta1.availableReplicas',
    ],
  },
  ports: [],
  rules,
  watches: machineSetWatches,
  dropsOwnStatus: 'all',
});
