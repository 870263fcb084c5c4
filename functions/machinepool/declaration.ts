// Declares the fields, permissions and watches of the MachinePool reconciler.
import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { kindsOfPool, referenceParts } from '../../shared/api/machine-pool/whole-machine-pool.ts';
import { contractVersionsRule, eventsRule } from '../../shared/api/policy-rules.ts';
import { machinePoolKind, machinePoolWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['machinepools'],
    verbs: ['get', 'patch'],
    why: 'reads the MachinePool, writes its finalizer, owner, ids and bootstrap data',
  },
  { apiGroups: [clusterGroup], resources: ['machinepools/status'], verbs: ['patch'], why: 'reports status' },
  { apiGroups: [clusterGroup], resources: ['clusters'], verbs: ['get'], why: 'reads the Cluster' },
  {
    apiGroups: [clusterGroup],
    resources: ['machines'],
    verbs: ['list', 'create', 'patch'],
    why: 'applies one Machine for each machine that the provider represents by an object',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machines/status'],
    verbs: ['patch'],
    why: 'reports whether a Machine of the pool is up to date',
  },
  contractVersionsRule,
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'patch', 'delete'],
    why: 'reads the objects that MachinePools name, marks them as owned, deletes them with the MachinePool',
  },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['list'],
    why: 'reads the objects of the machines of a pool',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get'],
    why: 'reads <cluster>-kubeconfig, to read, annotate and delete Nodes of the workload cluster',
  },
  eventsRule,
];

export const machinePoolDeclaration = declare({
  name: 'machinepool',
  primary: machinePoolKind,
  gate: 'MachinePool',
  timeoutSeconds: 60,
  fieldManager: 'capi-serverless',
  eventSource: 'machinepool-controller',
  owns: {
    conditions: ['Paused'],
    v1beta1: ['Ready', 'BootstrapReady', 'InfrastructureReady', 'ReplicasReady'],
    status: [
      'phase',
      'observedGeneration',
      'initialization',
      'nodeRefs',
      'replicas',
      'readyReplicas',
      'availableReplicas',
      'upToDateReplicas',
      'versions',
      'deprecated.v1beta1.readyReplicas',
      'deprecated.v1beta1.availableReplicas',
      'deprecated.v1beta1.unavailableReplicas',
      'deprecated.v1beta1.failureReason',
      'deprecated.v1beta1.failureMessage',
    ],
  },
  ports: ['workloadApi'],
  rules,
  watches: machinePoolWatches,
  dropsOwnStatus: 'all',
  references: kindsOfPool,
  primaryParts: referenceParts,
});
