import { ageColumn, toDefinition } from '../schema/definition.ts';
import { anyObject } from '../schema/json-schema.ts';

export const clusterCrd = toDefinition({
  description: 'Cluster.',
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Cluster',
  plural: 'clusters',
  labels: { 'cluster.x-k8s.io/provider': 'cluster-api', 'cluster.x-k8s.io/v1beta2': 'v1beta2' },
  spec: anyObject('Desired state.'),

  status: anyObject('Observed state.'),
  columns: [ageColumn],
});
