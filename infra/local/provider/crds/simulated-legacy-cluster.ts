import { ageColumn, toDefinition } from '../../../../shared/api/schema/definition.ts';
import { anyObject } from '../../../../shared/api/schema/json-schema.ts';

export const simulatedLegacyClusterCrd = toDefinition({
  description: 'SimulatedLegacyCluster.',
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1beta1',
  kind: 'SimulatedLegacyCluster',
  plural: 'simulatedlegacyclusters',
  labels: { 'cluster.x-k8s.io/v1beta1': 'v1beta1' },
  spec: anyObject('Desired state.'),
  specRequired: false,
  status: anyObject('Observed state.'),
  columns: [ageColumn],
});
