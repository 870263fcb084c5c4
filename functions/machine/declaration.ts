// Declares the fields, permissions and watches of the Machine reconciler.
import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { kindsOfMachine, nodeOfMachine, watchedParts } from '../../shared/api/machine/whole-machine.ts';
import { contractVersionsRule, eventsRule, extensionRules } from '../../shared/api/policy-rules.ts';
import { availableType, ownedConditions, readyType } from './conditions/machine-conditions.ts';
import { nodeHealthyType, nodeReadyType } from './conditions/node.ts';
import { machineKind, machineWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['machines'],
    verbs: ['get', 'list', 'patch'],
    why: 'reads the Machine, writes its finalizer, owner and provider values; looks for other control plane Machines before a Node is deleted (metadata only)',
  },
  { apiGroups: [clusterGroup], resources: ['machines/status'], verbs: ['patch'], why: 'reports status' },
  {
    apiGroups: [clusterGroup],
    resources: ['clusters', 'machinesets', 'machinedeployments'],
    verbs: ['get'],
    why: 'reads the Cluster and the owners of the Machine',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['clusters'],
    verbs: ['patch'],
    why: 'notes on the Cluster that its workload cluster does not answer, so that the Cluster is reconciled',
  },
  {
    apiGroups: [clusterGroup],
    resources: ['machinedrainrules'],
    verbs: ['list'],
    why: 'reads which Pods a drain evicts, in which order',
  },
  contractVersionsRule,
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'patch', 'delete'],
    why: 'reads the objects that Machines name, marks them as owned, deletes them with the Machine',
  },
  {
    apiGroups: ['controlplane.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get'],
    why: 'reads whether the control plane is being deleted or managed elsewhere, before a Node is deleted',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get'],
    why: 'reads <cluster>-kubeconfig, to read, label, drain and delete Nodes of the workload cluster',
  },
  ...extensionRules('InPlaceUpdates', 'finds the extension that updates Machines in place'),
  eventsRule,
];

export const machineDeclaration = declare({
  name: 'machine',
  primary: machineKind,
  timeoutSeconds: 60,
  fieldManager: 'capi-serverless',
  eventSource: 'machine-controller',
  owns: {
    conditions: ownedConditions,
    // These depend on Nodes and on the clock. The others summarize them.
    unwatched: [nodeReadyType, nodeHealthyType, readyType, availableType],
    v1beta1: [
      'Ready',
      'BootstrapReady',
      'InfrastructureReady',
      'NodeHealthy',
      'PreDrainDeleteHookSucceeded',
      'DrainingSucceeded',
      'VolumeDetachSucceeded',
      'PreTerminateDeleteHookSucceeded',
    ],
    status: [
      'phase',
      'lastUpdated',
      'observedGeneration',
      'initialization',
      'nodeRef',
      'nodeInfo',
      'addresses',
      'failureDomain',
      'certificatesExpiryDate',
      'deletion',
      'deprecated.v1beta1.failureReason',
      'deprecated.v1beta1.failureMessage',
    ],
  },
  ports: ['hooks', 'workloadApi'],
  rules,
  watches: machineWatches,
  dropsOwnStatus: 'but conditions',
  references: kindsOfMachine,
  primaryParts: watchedParts,
  nodes: nodeOfMachine,
});
