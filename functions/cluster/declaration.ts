// Declares the fields, permissions and watches of the Cluster reconciler.

import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup, kindsOfCluster, referenceParts } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { contractVersionsRule, eventsRule } from '../../shared/api/policy-rules.ts';
import { ownedConditions } from './conditions/all.ts';
import { clusterKind, clusterWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['clusters'],
    verbs: ['get', 'patch'],
    why: 'reads the Cluster, writes its finalizer and control plane endpoint',
  },
  { apiGroups: [clusterGroup], resources: ['clusters/status'], verbs: ['patch'], why: 'reports status' },
  { apiGroups: [clusterGroup], resources: ['clusterclasses'], verbs: ['get'], why: 'reads availability gates' },
  {
    apiGroups: [clusterGroup],
    resources: ['machinedeployments', 'machinesets', 'machines'],
    verbs: ['list', 'delete'],
    why: 'counts the objects of the Cluster and deletes them with it',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machinepools'],
    verbs: ['list', 'delete'],
    gate: 'MachinePool',
    why: 'counts the MachinePools of the Cluster and deletes them with it',
  },
  contractVersionsRule,
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'controlplane.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'patch', 'delete'],
    why: 'reads the objects that Clusters name, marks them as owned, deletes them with the Cluster',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'create', 'patch'],
    why: 'reads <cluster>-kubeconfig and <cluster>-ca; creates and renews the former for Clusters without control plane object',
  },
  eventsRule,
];

export const clusterDeclaration = declare({
  name: 'cluster',
  primary: clusterKind,
  // A slow API server answers a request in up to 60 s, and a pass waits for three to six requests in sequence.
  timeoutSeconds: 120,
  fieldManager: 'capi-serverless',
  eventSource: 'cluster-controller',
  owns: {
    conditions: ownedConditions,
    unwatched: [remoteConnectionType],
    v1beta1: ['Ready', 'InfrastructureReady', 'ControlPlaneReady', 'ControlPlaneInitialized'],
    status: [
      'phase',
      'observedGeneration',
      'initialization',
      'failureDomains',
      // The whole object is owned, so that it exists as {}. An upgradePlan of another writer in the object does not
      // change.
      'controlPlane',
      'workers',
      'deprecated.v1beta1.failureReason',
      'deprecated.v1beta1.failureMessage',
    ],
  },
  ports: ['workload', 'signer'],
  rules,
  watches: clusterWatches,
  dropsOwnStatus: 'but conditions',
  references: kindsOfCluster,
  primaryParts: referenceParts,
});
