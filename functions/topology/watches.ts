// Maps events to the Clusters that they enqueue for the topology reconciler.

import { groupOf, type Name, type Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { SourceEvent, Watch } from '@capi-serverless/reconciler';
import { clusterGroup, coreKind, readClusterReferences, topologyParts } from '../../shared/api/cluster/reader.ts';
import { ownedLabel } from '../../shared/topology/model/keys.ts';

export const clusterKind = coreKind('Cluster');

export const topologyWatches: readonly Watch[] = [
  { source: clusterKind, as: 'object', parts: topologyParts, map: ({ object }) => toSelf(object) },
  {
    source: coreKind('ClusterClass'),
    as: 'metadata',
    map: () => 'expand',
    matchParts: topologyParts,
    matches: (primary, { namespace = '', name }) => {
      const { classRef, isDefined } = readClusterReferences(primary).topology;
      const home = classRef.namespace === '' ? (primary.metadata.namespace ?? '') : classRef.namespace;
      return isDefined && classRef.name === name && home === namespace;
    },
  },
  { source: coreKind('MachineDeployment'), as: 'metadata', map: toLabelledCluster },
  { source: coreKind('MachinePool'), as: 'metadata', map: toLabelledCluster },
  // The label contains the name of the Cluster before an owner reference exists. Therefore no event is missed.
  {
    source: 'referenced',
    as: 'metadata',
    map: event => (pausedAnnotation in (event.object.metadata.annotations ?? {}) ? [] : toLabelledCluster(event)),
  },
];

/** Clusters without topology are ignored. */
function toSelf(object: Unstructured): readonly Name[] {
  return readClusterReferences(object).topology.isDefined ? [toName(object, object.metadata.name)] : [];
}

/** Only objects of a topology enqueue a Cluster. */
function toLabelledCluster({ object }: SourceEvent): readonly Name[] {
  const { labels = {}, ownerReferences = [] } = object.metadata;
  if (!Object.hasOwn(labels, ownedLabel)) {
    return [];
  }
  const owner = ownerReferences.find(
    ({ kind, apiVersion }) => kind === 'Cluster' && groupOf(apiVersion) === clusterGroup,
  );
  const name = labels[clusterNameLabel] ?? owner?.name ?? '';
  return name === '' ? [] : [toName(object, name)];
}

function toName({ metadata }: Unstructured, name: string): Name {
  return { namespace: metadata.namespace ?? '', name };
}
