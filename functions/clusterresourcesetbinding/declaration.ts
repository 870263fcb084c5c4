// Declares the permissions and watches of the ClusterResourceSetBinding reconciler. A binding has no status.
import { type Kind, withoutUndefined } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { declare, type PolicyRule, type SourceEvent, type Watch } from '@capi-serverless/reconciler';
import { addonsGroup, coreGroup, coreVersion } from '../../shared/api/schema/core.ts';

/** Maps events to the ClusterResourceSetBindings that they enqueue. */
const bindingKind: Kind = {
  group: addonsGroup,
  version: coreVersion,
  kind: 'ClusterResourceSetBinding',
  scope: 'Namespaced',
};

export const bindingWatches: readonly Watch[] = [
  {
    source: { group: coreGroup, version: coreVersion, kind: 'Cluster', scope: 'Namespaced' },
    as: 'metadata',
    map: toBinding,
    matchParts: [],
    matches: ({ metadata }, { namespace, name }) => metadata.namespace === namespace && metadata.name === name,
    // After a gap between watches, the source has no namespace.
    scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
  },
];

/** A binding has the name of its Cluster. Only the end of the Cluster concerns it. */
function toBinding({ type, object: { metadata } }: SourceEvent): ReturnType<Watch['map']> {
  const { namespace = '', name, annotations = {}, deletionTimestamp } = metadata;
  const isEnding = type === 'DELETED' || deletionTimestamp !== undefined;
  return isEnding && !(pausedAnnotation in annotations) ? [{ namespace, name }] : [];
}

const rules: readonly PolicyRule[] = [
  {
    apiGroups: [addonsGroup],
    resources: ['clusterresourcesetbindings'],
    verbs: ['get', 'patch', 'delete'],
    why: 'deletes the bindings of Clusters that end, repairs those of old versions',
  },
  { apiGroups: [coreGroup], resources: ['clusters'], verbs: ['get'], why: 'reads whether the Cluster exists' },
];

export const clusterResourceSetBindingDeclaration = declare({
  name: 'clusterresourcesetbinding',
  primary: bindingKind,
  gate: 'ClusterResourceSet',
  timeoutSeconds: 60,
  fieldManager: 'capi-serverless',
  eventSource: 'clusterresourcesetbinding-controller',
  owns: { conditions: [], v1beta1: [], status: [] },
  ports: [],
  rules,
  watches: bindingWatches,
});
