// Maps events to the ClusterResourceSetBindings that they enqueue.
import { type Kind, withoutUndefined } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { addonsGroup, coreGroup, coreVersion } from '../../shared/api/schema/core.ts';

export const bindingKind: Kind = {
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
