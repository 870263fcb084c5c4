// Definition of ClusterResourceSet (addons.cluster.x-k8s.io/v1beta2).
import { addonsGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, conditionColumn, toDefinition, wide } from '../schema/definition.ts';
import { atomicList, choice, filledObject, object } from '../schema/json-schema.ts';
import { labelSelector } from '../schema/metadata-schemas.ts';
import { resourceNames } from '../schema/resource-names.ts';
import { conditions, deprecated, observedGeneration } from '../schema/status-schemas.ts';

const spec = object(
  'Which objects are applied to which workload clusters.',
  {
    clusterSelector: labelSelector('Finds the Clusters. It must not be empty, and cannot be changed.'),
    resources: atomicList(
      'ConfigMaps and Secrets of the same namespace that contain the objects.',
      object('Names a ConfigMap or a Secret.', resourceNames, { required: ['kind', 'name'] }),
      { minItems: 1, maxItems: 100 },
    ),
    strategy: choice(
      'ApplyOnce creates the objects once, Reconcile also replaces them after each change. ApplyOnce by default; cannot be changed.',
      ['ApplyOnce', 'Reconcile'],
    ),
  },
  { required: ['clusterSelector', 'resources'] },
);

const status = filledObject('Observed state of the objects.', {
  conditions,
  observedGeneration,
  deprecated: deprecated({}),
});

export const clusterResourceSetCrd = toDefinition({
  description: 'Applies the objects in ConfigMaps and Secrets to workload clusters.',
  group: addonsGroup,
  version: coreVersion,
  kind: 'ClusterResourceSet',
  labels: coreLabels,
  spec,
  status,
  columns: [
    conditionColumn('Applied', { type: 'ResourcesApplied' }),
    conditionColumn('Paused', { priority: wide }),
    ageColumn,
  ],
});
