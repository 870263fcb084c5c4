// Maps events to the ClusterResourceSets that they enqueue. Secrets have no watch.
import { isEmptySelector, type Kind, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { readResourceSet } from '../../shared/api/cluster-resource-set/reader.ts';
import { addonsGroup, coreGroup, coreVersion } from '../../shared/api/schema/core.ts';

export const resourceSetKind: Kind = {
  group: addonsGroup,
  version: coreVersion,
  kind: 'ClusterResourceSet',
  scope: 'Namespaced',
};

const inNamespace: Pick<Watch, 'scopeOf'> = {
  // After a gap between watches, the source has no namespace.
  scopeOf: ({ namespace }) => withoutUndefined({ namespace }),
};

export const resourceSetWatches: readonly Watch[] = [
  {
    // A label that a Cluster has lost may have matched, so all ClusterResourceSets of its namespace are enqueued.
    source: { group: coreGroup, version: coreVersion, kind: 'Cluster', scope: 'Namespaced' },
    as: 'object',
    parts: ['status.conditions'],
    map: () => 'expand',
    expandsTo: 'namespace',
    versionOf: toClusterVersion,
    matches: (primary, { namespace = '' }) =>
      isNear(primary, namespace) && !isEmptySelector(readResourceSet(primary).spec.clusterSelector),
    matchParts: ['spec.clusterSelector'],
    ...inNamespace,
  },
  {
    source: { group: '', version: 'v1', kind: 'ConfigMap', scope: 'Namespaced' },
    as: 'metadata',
    map: toOwningSets,
    matches: (primary, { namespace = '', name }) =>
      isNear(primary, namespace) &&
      readResourceSet(primary).spec.resources.some(each => each.kind === 'ConfigMap' && each.name === name),
    matchParts: ['spec.resources'],
    ...inNamespace,
  },
];

function isNear({ metadata }: Unstructured, namespace: string): boolean {
  return (metadata.namespace ?? '') === namespace;
}

/** The first pass sets the owner reference, so a list is needed for new ConfigMaps only. */
function toOwningSets({ type, object: { metadata } }: SourceEvent): ReturnType<Watch['map']> {
  const { namespace = '', ownerReferences = [] } = metadata;
  const owners = ownerReferences.filter(({ kind }) => kind === 'ClusterResourceSet');
  if (type === 'DELETED') {
    return [];
  }
  if (owners.length > 0) {
    return owners.map(({ name }) => ({ namespace, name }));
  }
  return type === 'ADDED' ? 'expand' : [];
}

/** The parts of a Cluster that its ClusterResourceSets read. A time of transition does not return. */
function toClusterVersion(object: Unstructured): string {
  const { metadata, status } = readCluster(object);
  const connection = getCondition(status.conditions, remoteConnectionType);
  return JSON.stringify([
    metadata.uid,
    Object.entries(metadata.labels ?? {}).toSorted(),
    metadata.deletionTimestamp,
    connection?.status,
    connection?.lastTransitionTime,
  ]);
}
