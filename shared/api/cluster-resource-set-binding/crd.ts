// Definition of ClusterResourceSetBinding (addons.cluster.x-k8s.io/v1beta2).
import { addonsGroup, coreLabels, coreVersion } from '../schema/core.ts';
import { ageColumn, column, toDefinition } from '../schema/definition.ts';
import { atomicList, filledText, flag, object, time } from '../schema/json-schema.ts';
import { resourceNames } from '../schema/resource-names.ts';

const resource = object(
  'What was applied of one ConfigMap or Secret.',
  {
    ...resourceNames,
    hash: filledText('Digest of the data that were applied last.', 256),
    lastAppliedTime: time('When the data were applied last.'),
    applied: flag('Whether all objects of the data were applied.'),
  },
  { required: ['applied', 'kind', 'name'] },
);

const binding = object(
  'What was applied of one ClusterResourceSet.',
  {
    clusterResourceSetName: filledText('Name of the ClusterResourceSet.', 253),
    resources: atomicList('Its ConfigMaps and Secrets.', resource, { maxItems: 100 }),
  },
  { required: ['clusterResourceSetName'] },
);

const spec = object(
  'What was applied to the workload cluster of one Cluster.',
  {
    clusterName: filledText('Name of the Cluster. It cannot be changed.', 63),
    bindings: atomicList('One item per ClusterResourceSet.', binding, { maxItems: 100 }),
  },
  { required: ['clusterName'] },
);

export const clusterResourceSetBindingCrd = toDefinition({
  description: 'Records which objects of ClusterResourceSets were applied to one workload cluster.',
  group: addonsGroup,
  version: coreVersion,
  kind: 'ClusterResourceSetBinding',
  labels: coreLabels,
  spec,
  columns: [column('Cluster', '.spec.clusterName'), ageColumn],
});
