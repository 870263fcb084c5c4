// Definition of SimulatedLegacyCluster: simulated infrastructure that follows contract v1beta1.
import { movedByClusterctl } from '../../../shared/api/schema/core.ts';
import { toDefinition } from '../../../shared/api/schema/definition.ts';
import { flag, object, text, textMap } from '../../../shared/api/schema/json-schema.ts';
import { conditions } from '../../../shared/api/schema/status-schemas.ts';
import { infrastructureColumns, infrastructureSpec } from './infrastructure-parts.ts';
import { infrastructureGroup, startedAt } from './parts.ts';

const failureDomain = object('One failure domain.', {
  controlPlane: flag('Whether control plane Machines may be placed there.'),
  attributes: textMap('Further attributes.'),
});

export const simulatedLegacyClusterCrd = toDefinition({
  description: 'Simulated infrastructure of a cluster, reported in the older contract.',
  group: infrastructureGroup,
  version: 'v1beta1',
  kind: 'SimulatedLegacyCluster',
  labels: { 'cluster.x-k8s.io/v1beta1': 'v1beta1', ...movedByClusterctl },
  spec: infrastructureSpec,
  required: [],
  status: object('Observed state of the simulated infrastructure.', {
    conditions,
    ready: flag('The infrastructure was provisioned.'),
    failureDomains: {
      type: 'object',
      description: 'Failure domains by name.',
      additionalProperties: failureDomain,
    },
    failureReason: text('A terminal failure, as one word.'),
    failureMessage: text('A terminal failure, as a sentence.'),
    startedAt,
  }),
  columns: infrastructureColumns('.status.ready'),
});
