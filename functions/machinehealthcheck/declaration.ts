// Declares the fields, permissions and watches of the MachineHealthCheck reconciler.
import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { eventsRule } from '../../shared/api/policy-rules.ts';
import { healthCheckKind, healthCheckWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [clusterGroup],
    resources: ['machinehealthchecks'],
    verbs: ['get', 'patch'],
    why: 'reads the MachineHealthCheck, writes its owner and label',
  },
  { apiGroups: [clusterGroup], resources: ['machinehealthchecks/status'], verbs: ['patch'], why: 'reports status' },
  { apiGroups: [clusterGroup], resources: ['clusters'], verbs: ['get'], why: 'reads the Cluster' },
  { apiGroups: [clusterGroup], resources: ['machines'], verbs: ['list'], why: 'finds the Machines to check' },
  {
    apiGroups: [clusterGroup],
    resources: ['machines/status'],
    verbs: ['patch'],
    why: 'reports the health of Machines, and marks them for remediation',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get'],
    why: 'reads <cluster>-kubeconfig, to read Nodes of the workload cluster',
  },
  {
    apiGroups: ['infrastructure.cluster.x-k8s.io'],
    resources: ['*'],
    verbs: ['get', 'list', 'create', 'delete'],
    why: 'creates requests for external remediations from their template, deletes them when Machines are healthy',
  },
  eventsRule,
];

export const machineHealthCheckDeclaration = declare({
  name: 'machinehealthcheck',
  primary: healthCheckKind,
  timeoutSeconds: 60,
  fieldManager: 'capi-serverless',
  eventSource: 'machinehealthcheck-controller',
  owns: {
    conditions: ['Paused', 'RemediationAllowed'],
    // It depends on Nodes and on the clock.
    unwatched: ['RemediationAllowed'],
    v1beta1: ['RemediationAllowed', 'ExternalRemediationTemplateAvailable', 'ExternalRemediationRequestAvailable'],
    status: ['expectedMachines', 'currentHealthy', 'remediationsAllowed', 'targets', 'observedGeneration'],
  },
  ports: ['workloadApi'],
  rules,
  watches: healthCheckWatches,
  dropsOwnStatus: 'all',
  // The limit of upstream's controller. Each change of a Machine enqueues the checks of its Cluster.
  expansionGapSeconds: 15,
});
