import { ageColumn, toDefinition } from '../../../../shared/api/schema/definition.ts';
import { anyObject } from '../../../../shared/api/schema/json-schema.ts';

export const simulatedClusterCrd = toDefinition({
  description: 'SimulatedCluster.',
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'SimulatedCluster',
  plural: 'simulatedclusters',
  labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2' },
  spec: anyObject('Desired state.'),
  specRequired: false,
  status: anyObject('Observed state.'),
  columns: [ageColumn],
});
