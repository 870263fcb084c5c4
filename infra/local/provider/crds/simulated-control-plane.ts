import { ageColumn, toDefinition } from '../../../../shared/api/schema/definition.ts';
import { anyObject } from '../../../../shared/api/schema/json-schema.ts';

export const simulatedControlPlaneCrd = toDefinition({
  description: 'SimulatedControlPlane.',
  group: 'controlplane.cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'SimulatedControlPlane',
  plural: 'simulatedcontrolplanes',
  labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2' },
  spec: anyObject('Desired state.'),
  specRequired: false,
  status: anyObject('Observed state.'),
  columns: [ageColumn],
});
