// Which changes wake the topology reconciler, and which Clusters they concern.
import { clusterGroup, pausedAnnotation, readCluster } from '../../shared/api/cluster/reader.ts';
import { groupOf, type Kind, type Name, type Unstructured } from '../../shared/api/object.ts';
import { clusterNameLabel } from '../../shared/contract/owner-references.ts';
import type { SourceEvent, Watch } from '../../shared/kernel/types.ts';
import { ownedLabel } from '../../shared/topology/model/keys.ts';

export const clusterKind: Kind = { group: clusterGroup, version: 'v1beta2', kind: 'Cluster', scope: 'Namespaced' };

function coreKind(kind: string): Kind {
  return { ...clusterKind, kind };
}

export const topologyWatches: readonly Watch[] = [
  { source: clusterKind, as: 'object', map: ({ object }) => toSelf(object) },
  {
    source: coreKind('ClusterClass'),
    as: 'metadata',
    map: () => 'expand',
    matches: (primary, { namespace = '', name }) => {
      const { metadata, spec } = readCluster(primary);
      const { classRef, isDefined } = spec.topology;
      const home = classRef.namespace === '' ? metadata.namespace : classRef.namespace;
      return isDefined && classRef.name === name && home === namespace;
    },
  },
  { source: coreKind('MachineDeployment'), as: 'metadata', map: toLabelledCluster },
  { source: coreKind('MachinePool'), as: 'metadata', map: toLabelledCluster },
  // Before anybody has made the Cluster their owner the label tells, so that no change of theirs is missed.
  {
    source: 'referenced',
    as: 'metadata',
    map: event => (pausedAnnotation in (event.object.metadata.annotations ?? {}) ? [] : toLabelledCluster(event)),
  },
];

/** Clusters without topology are nobody's concern here. */
function toSelf(object: Unstructured): readonly Name[] {
  return readCluster(object).spec.topology.isDefined ? [toName(object, object.metadata.name)] : [];
}

/** Only what belongs to a topology. */
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
