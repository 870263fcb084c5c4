// Declares the fields, permissions and watches of the ClusterClass reconciler. It is a separate file, so that the list
// of declarations does not load the variable rules.

import { declare, type PolicyRule } from '@capi-serverless/reconciler';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { extensionRules } from '../../shared/api/policy-rules.ts';
import { clusterClassKind, clusterClassWatches, templateGroups } from './watches.ts';

const rules: readonly PolicyRule[] = [
  { apiGroups: [clusterGroup], resources: ['clusterclasses'], verbs: ['get'], why: 'reads the ClusterClass' },
  { apiGroups: [clusterGroup], resources: ['clusterclasses/status'], verbs: ['patch'], why: 'reports status' },
  {
    apiGroups: templateGroups,
    resources: ['*'],
    verbs: ['get', 'patch'],
    why: 'reads the metadata of the templates that ClusterClasses name, marks them as owned',
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get'],
    why: 'reads from CRD labels in which version templates should be named (metadata only)',
  },
  ...extensionRules('RuntimeSDK', 'finds the extensions that define variables'),
];

export const clusterClassDeclaration = declare({
  name: 'clusterclass',
  primary: clusterClassKind,
  gate: 'ClusterTopology',
  timeoutSeconds: 120,
  batchSize: 1,
  fieldManager: 'capi-serverless',
  eventSource: 'clusterclass-controller',
  owns: {
    conditions: ['RefVersionsUpToDate', 'VariablesReady', 'Paused'],
    v1beta1: ['RefVersionsUpToDate', 'VariablesReconciled'],
    status: ['variables', 'observedGeneration'],
  },
  ports: ['hooks'],
  rules,
  watches: clusterClassWatches,
  dropsOwnStatus: 'all',
});
