// Maps events to the Clusters that they enqueue for the topology reconciler.

import { groupOf, memberOf, type Name, type Unstructured } from '@capi-serverless/apimachinery';
import { isTrue, pausedAnnotation, storedConditions } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Declaration, SourceEvent, Watch } from '@capi-serverless/reconciler';
import {
  clusterGroup,
  coreKind,
  readCluster,
  readClusterReferences,
  topologyParts,
} from '../../shared/api/cluster/reader.ts';
import { replicaFields } from '../../shared/api/member-watches.ts';
import { readMetadata } from '../../shared/event-source/own-status.ts';
import { rawEntries, unknownManager } from '../../shared/server-side-apply/managed-fields.ts';
import { ownedLabel, topologyManager } from '../../shared/topology/model/keys.ts';

export const clusterKind = coreKind('Cluster');

/**
 * A Cluster without topology is ignored. So are most changes of the status, which the topology does not read: all writes of the
 * Cluster reconciler, and its own report.
 */
export const topologyPrimaryWatch: NonNullable<Declaration['primaryWatch']> = {
  as: 'object',
  parts: topologyParts,
  contentParts: ['status.conditions'],
  map: ({ object }) => (readClusterReferences(object).topology.isDefined ? [toName(object, object.metadata.name)] : []),
  contentOf(object) {
    const isInitialized = isTrue(readCluster(object).status.conditions, 'ControlPlaneInitialized');
    return JSON.stringify([...metadataOf(object), isInitialized]);
  },
};

/** Finalizers concern no topology, and managed fields only if repairs read them. */
function metadataOf(object: Unstructured): readonly unknown[] {
  const managers = new Set(rawEntries(object).map(({ manager }) => manager));
  const repaired = [managers.size === 0, managers.has(unknownManager), managers.has(topologyManager)];
  return [...readMetadata(object), repaired];
}

const versions = ['version', 'versions'];

const valuesOf = ({ status }: Unstructured, fields: readonly string[]): readonly unknown[] =>
  fields.map(field => memberOf(status, field));

export const topologyWatches: readonly Watch[] = [
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
  {
    source: coreKind('MachineDeployment'),
    as: 'metadata',
    map: toLabelledCluster,
    // They tell when the last Machine of an older version is gone.
    contentParts: ['status.conditions', ...replicaFields.map(field => `status.${field}`)],
    contentOf(object) {
      const conditions = storedConditions(memberOf(object.status, 'conditions'));
      const states = conditions.map(({ type, status, reason }) => [type, status, reason]);
      return JSON.stringify([...metadataOf(object), ...valuesOf(object, replicaFields), states]);
    },
  },
  { source: coreKind('MachinePool'), as: 'metadata', map: toLabelledCluster },
  // The label contains the name of the Cluster before an owner reference exists. Therefore no event is missed.
  {
    source: 'referenced',
    as: 'metadata',
    map: event => (pausedAnnotation in (event.object.metadata.annotations ?? {}) ? [] : toLabelledCluster(event)),
    // Of the status, a topology reads the versions of the control plane only.
    contentParts: versions.map(field => `status.${field}`),
    contentOf: object => JSON.stringify([...metadataOf(object), ...valuesOf(object, versions)]),
  },
];

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
