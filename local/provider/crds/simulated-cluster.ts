// Definition of SimulatedCluster: simulated infrastructure that follows contract v1beta2.

import { failureDomains } from '../../../shared/api/cluster/status-schema.ts';
import { movedByClusterctl } from '../../../shared/api/schema/core.ts';
import { toDefinition } from '../../../shared/api/schema/definition.ts';
import { filledObject, flag, object } from '../../../shared/api/schema/json-schema.ts';
import { conditions } from '../../../shared/api/schema/status-schemas.ts';
import { infrastructureColumns, infrastructureSpec } from './infrastructure-parts.ts';
import { infrastructureGroup, startedAt } from './parts.ts';

export const simulatedClusterCrd = toDefinition({
  description: 'Simulated infrastructure of a cluster.',
  group: infrastructureGroup,
  version: 'v1beta2',
  kind: 'SimulatedCluster',
  labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2', ...movedByClusterctl },
  spec: infrastructureSpec,
  required: [],
  status: object('Observed state of the simulated infrastructure.', {
    conditions,
    initialization: filledObject('Milestones; once true they stay true.', {
      provisioned: flag('The infrastructure was provisioned.'),
    }),
    failureDomains,
    startedAt,
  }),
  columns: infrastructureColumns('.status.initialization.provisioned'),
});
