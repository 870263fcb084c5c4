// Declares the fields, permissions and watches of the ClusterResourceSet reconciler.
import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { addonsGroup, coreGroup } from '../../shared/api/schema/core.ts';
import { resourceSetKind, resourceSetWatches } from './watches.ts';

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [addonsGroup],
    resources: ['clusterresourcesets'],
    verbs: ['get', 'patch'],
    why: 'reads the ClusterResourceSet, writes its finalizer',
  },
  { apiGroups: [addonsGroup], resources: ['clusterresourcesets/status'], verbs: ['patch'], why: 'reports conditions' },
  {
    apiGroups: [addonsGroup],
    resources: ['clusterresourcesetbindings'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    why: 'records what was applied to each workload cluster',
  },
  {
    apiGroups: [coreGroup],
    resources: ['clusters'],
    verbs: ['list'],
    why: 'finds the Clusters that the selector matches',
  },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'patch'],
    why: 'reads the objects to apply, writes the owner reference',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'patch'],
    why: 'reads the objects to apply and <cluster>-kubeconfig, writes the owner reference',
  },
];

export const clusterResourceSetDeclaration = declare({
  name: 'clusterresourceset',
  primary: resourceSetKind,
  gate: 'ClusterResourceSet',
  timeoutSeconds: 120,
  batchSize: 1,
  fieldManager: 'capi-serverless',
  eventSource: 'clusterresourceset-controller',
  owns: {
    conditions: ['Paused', 'ResourcesApplied'],
    // It depends on workload clusters and on Secrets.
    unwatched: ['ResourcesApplied'],
    v1beta1: ['ResourcesApplied'],
    status: ['observedGeneration'],
  },
  ports: ['workloadApi'],
  rules,
  watches: resourceSetWatches,
  dropsOwnStatus: 'all',
});
