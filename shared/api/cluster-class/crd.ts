// The definition of ClusterClass (cluster.x-k8s.io/v1beta2).
import { coreGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, conditionColumn, toDefinition, wide } from '../schema/definition.ts';
import { filledObject } from '../schema/json-schema.ts';
import { conditions, deprecated, observedGeneration } from '../schema/status-schemas.ts';
import { clusterClassSpec } from './spec-schema.ts';
import { statusVariables } from './variables-schema.ts';

/** Schema of `ClusterClass.status`. */
const clusterClassStatus = filledObject('Observed state of the class.', {
  conditions,
  variables: statusVariables,
  observedGeneration,
  deprecated: deprecated({}),
});

export const clusterClassCrd = toDefinition({
  description: 'A template from which Clusters of one shape are made, and the variables in which they may differ.',
  group: coreGroup,
  version: coreVersion,
  kind: 'ClusterClass',
  shortNames: ['cc'],
  labels: coreLabels,
  spec: clusterClassSpec,
  status: clusterClassStatus,
  columns: [
    conditionColumn('Paused', { priority: wide }),
    conditionColumn('Variables Ready', { type: 'VariablesReady' }),
    ageColumn,
  ],
});
