// The common schema parts of the simulated infrastructure kinds of both contracts.
import { controlPlaneEndpoint } from '../../../shared/api/cluster/spec-schema.ts';
import { ageColumn, column, conditionColumn } from '../../../shared/api/schema/definition.ts';
import { atomicList, object } from '../../../shared/api/schema/json-schema.ts';
import { failureDomain } from '../../../shared/api/schema/machine-parts.ts';
import { clusterColumn, durations, readyColumn } from './parts.ts';

export const infrastructureSpec = object('Desired state of the simulated infrastructure.', {
  controlPlaneEndpoint,
  failureDomains: atomicList('Names of the failure domains to report.', failureDomain('Name of a failure domain.'), {
    maxItems: 100,
  }),
  ...durations,
});

export function infrastructureColumns(provisionedPath: string) {
  return [
    clusterColumn,
    column('Provisioned', provisionedPath),
    readyColumn,
    column('Endpoint', '.spec.controlPlaneEndpoint.host'),
    conditionColumn('Paused', { priority: 1 }),
    ageColumn,
  ];
}
