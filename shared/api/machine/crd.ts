import { ageColumn, toDefinition } from '../schema/definition.ts';
import { anyObject } from '../schema/json-schema.ts';

export const machineCrd = toDefinition({
  description: 'Machine.',
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Machine',
  plural: 'machines',
  labels: { 'cluster.x-k8s.io/provider': 'cluster-api', 'cluster.x-k8s.io/v1beta2': 'v1beta2' },
  spec: anyObject('Desired state.'),

  status: anyObject('Observed state.'),
  columns: [ageColumn],
});
