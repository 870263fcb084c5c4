// Declares the fields, permissions and watches of the MachineDeployment reconciler.
import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { contractVersionsRule, eventsRule, extensionRules } from '../../shared/api/policy-rules.ts';
import { ownedConditions, ownedDeprecatedConditions } from './conditions/deployment-conditions.ts';
import { machineDeploymentKind, machineDeploymentWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['machinedeployments'],
    verbs: ['get', 'patch'],
    why: 'reads the MachineDeployment, writes its finalizer, owner, label and revision',
  },
  { apiGroups: [clusterGroup], resources: ['machinedeployments/status'], verbs: ['patch'], why: 'reports status' },
  {
    apiGroups: [clusterGroup],
    resources: ['machinesets'],
    verbs: ['list', 'create', 'patch', 'delete'],
    why: 'creates one MachineSet for each template, scales the MachineSets, deletes empty ones',
  },
  { apiGroups: [clusterGroup], resources: ['machines'], verbs: ['list'], why: 'counts the Machines of a rollout' },
  { apiGroups: [clusterGroup], resources: ['clusters'], verbs: ['get'], why: 'reads whether the Cluster is paused' },
  contractVersionsRule,
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'patch'],
    why: 'reads the templates that MachineDeployments reference, marks them as owned by the Cluster',
  },
  ...extensionRules('InPlaceUpdates', 'finds the extension that decides whether Machines are updated in place'),
  eventsRule,
];

export const machineDeploymentDeclaration = declare({
  name: 'machinedeployment',
  primary: machineDeploymentKind,
  timeoutSeconds: 120,
  fieldManager: 'capi-serverless',
  eventSource: 'machinedeployment-controller',
  owns: {
    conditions: ownedConditions,
    v1beta1: ownedDeprecatedConditions,
    status: [
      'phase',
      'selector',
      'replicas',
      'readyReplicas',
      'availableReplicas',
      'upToDateReplicas',
      'versions',
      'observedGeneration',
      'deprecated.v1beta1.updatedReplicas',
      'deprecated.v1beta1.readyReplicas',
      'deprecated.v1beta1.availableReplicas',
      'deprecated.v1beta1.unavailableReplicas',
    ],
  },
  ports: ['hooks'],
  rules,
  watches: machineDeploymentWatches,
  dropsOwnStatus: 'all',
});
