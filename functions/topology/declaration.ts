// Declares the fields, permissions and watches of the topology reconciler. It is a separate file, so that the list of
// declarations does not load the template engine.

import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup, kindsOfCluster, referenceParts } from '../../shared/api/cluster/reader.ts';
import { contractVersionsRule, eventsRule, extensionRules } from '../../shared/api/policy-rules.ts';
import { clusterKind, topologyPrimaryWatch, topologyWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['clusters'],
    verbs: ['get', 'patch'],
    why: 'reads the Cluster, sets its references, records hook calls, defaults variables',
  },
  { apiGroups: [clusterGroup], resources: ['clusters/status'], verbs: ['patch'], why: 'reports status' },
  { apiGroups: [clusterGroup], resources: ['clusterclasses'], verbs: ['get'], why: 'reads the ClusterClass' },
  {
    apiGroups: [clusterGroup],
    resources: ['machinedeployments', 'machinepools'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    why: 'creates, changes and deletes the workers of a topology',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machinehealthchecks'],
    verbs: ['get', 'create', 'patch', 'delete'],
    why: 'creates, changes and deletes the health checks of workers and control plane',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machines'],
    verbs: ['list'],
    why: 'checks whether MachineDeployments are upgrading',
  },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'create', 'patch', 'delete'],
    why: 'reads templates of classes, creates and changes objects from them, deletes unused templates',
  },
  {
    apiGroups: ['controlplane.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'create', 'patch'],
    why: 'reads templates of classes, creates and changes control planes from them',
  },
  contractVersionsRule,
  ...extensionRules('RuntimeSDK', 'finds the extensions with lifecycle hooks and patches'),
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'create', 'delete'],
    why: 'reads, creates and deletes <cluster>-shim, which owns objects until the Cluster references them; reads <cluster>-kubeconfig to get Nodes of MachinePools',
  },
  eventsRule,
];

export const topologyDeclaration = declare({
  name: 'topology',
  primary: clusterKind,
  gate: 'ClusterTopology',
  timeoutSeconds: 120,
  batchSize: 1,
  fieldManager: 'capi-serverless',
  eventSource: 'topology/cluster-controller',
  owns: {
    conditions: ['TopologyReconciled'],
    v1beta1: ['TopologyReconciled'],
    status: ['controlPlane.upgradePlan', 'workers.upgradePlan'],
  },
  ports: ['dryRun', 'hooks', 'nodes'],
  rules,
  watches: topologyWatches,
  primaryWatch: topologyPrimaryWatch,
  references: kindsOfCluster,
  primaryParts: referenceParts,
});
