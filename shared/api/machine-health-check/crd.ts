// Definition of MachineHealthCheck (cluster.x-k8s.io/v1beta2).
import { clusterName } from '../machine/spec-schema.ts';
import { coreGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, column, conditionColumn, countColumn, toDefinition, wide } from '../schema/definition.ts';
import { healthCheckRemediation, healthChecks } from '../schema/health-check.ts';
import { atomicList, filledObject, filledText, int32, object } from '../schema/json-schema.ts';
import { labelSelector } from '../schema/metadata-schemas.ts';
import { conditions, deprecated, observedGeneration } from '../schema/status-schemas.ts';

const spec = object(
  'Which Machines are checked, and what makes them unhealthy.',
  {
    clusterName,
    selector: labelSelector('Finds the Machines.'),
    checks: healthChecks,
    remediation: healthCheckRemediation,
  },
  { required: ['clusterName', 'selector'] },
);

const status = filledObject('Observed state of the Machines.', {
  conditions,
  expectedMachines: int32('Machines that are checked.', { minimum: 0 }),
  currentHealthy: int32('Machines that are healthy.', { minimum: 0 }),
  remediationsAllowed: int32('How many further Machines may be remediated.', { minimum: 0 }),
  observedGeneration,
  targets: atomicList('Names of the Machines that are checked.', filledText('Name of a Machine.', 253), {
    maxItems: 10_000,
  }),
  deprecated: deprecated({}),
});

export const machineHealthCheckCrd = toDefinition({
  description: 'Checks the health of Machines, and remediates those that stay unhealthy.',
  group: coreGroup,
  version: coreVersion,
  kind: 'MachineHealthCheck',
  shortNames: ['mhc', 'mhcs'],
  labels: coreLabels,
  spec,
  status,
  columns: [
    column('Cluster', '.spec.clusterName'),
    countColumn('Replicas', '.status.expectedMachines'),
    countColumn('Healthy', '.status.currentHealthy'),
    conditionColumn('Paused', { priority: wide }),
    ageColumn,
  ],
});
