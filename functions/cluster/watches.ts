// Maps events to the Clusters that they enqueue.

import { groupOf, isKind, type Name, type ObjectRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { pausedAnnotation, selectConditions } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import {
  type ContractReference,
  clusterGroup,
  coreKind,
  readClusterReferences,
  referenceParts,
} from '../../shared/api/cluster/reader.ts';
import { replicaFields } from '../../shared/api/member-watches.ts';
import { readMetadata } from '../../shared/event-source/own-status.ts';
import { isControlPlaneMachine } from './phases/descendants.ts';

export const clusterKind = coreKind('Cluster');

export const clusterWatches: readonly Watch[] = [
  // Metadata does not show whether a Machine has a Node. Therefore changes of control plane Machines enqueue the Cluster.
  // So do those of Machines without a controller: no other object reports their state to the Cluster.
  {
    source: coreKind('Machine'),
    as: 'metadata',
    map: ({ object }) => (isControlPlaneMachine(object) || !hasController(object) ? toLabelledCluster(object) : []),
    ...contentsOf({
      conditions: ['Ready', 'Available', 'UpToDate', 'HealthCheckSucceeded', 'OwnerRemediated'],
      fields: ['nodeRef.name', 'nodeInfo.kubeletVersion'],
    }),
  },
  {
    source: coreKind('MachineDeployment'),
    as: 'metadata',
    map: ({ object }) => toLabelledCluster(object),
    ...contentsOf({
      conditions: ['Available', 'RollingOut', 'ScalingUp', 'ScalingDown'],
      fields: replicaFields,
    }),
  },
  {
    source: coreKind('MachinePool'),
    as: 'metadata',
    gate: 'MachinePool',
    map: ({ object }) => toLabelledCluster(object),
  },
  {
    source: 'referenced',
    as: 'metadata',
    map: ({ object }) => toOwningClusters(object),
    matches: namesSource,
    matchParts: referenceParts,
  },
];

/** Compares the metadata, and these conditions and fields of the status. */
function contentsOf({
  conditions,
  fields,
}: {
  readonly conditions: readonly string[];
  readonly fields: readonly string[];
}): Required<Pick<Watch, 'contentOf' | 'contentParts'>> {
  const paths = fields.map(field => `status.${field}`);
  const conditionsPath = 'status.conditions';
  const types = new Set<unknown>(conditions);
  return {
    contentParts: [conditionsPath, ...paths],
    contentOf: object =>
      JSON.stringify([
        readMetadata(object),
        paths.map(path => valueAt(object, path)),
        selectConditions(object, conditionsPath, type => types.has(type)),
      ]),
  };
}

function hasController({ metadata: { ownerReferences = [] } }: Unstructured): boolean {
  return ownerReferences.some(({ controller }) => controller === true);
}

function toName({ metadata }: Unstructured, name: string): Name {
  return { namespace: metadata.namespace ?? '', name };
}

/** The label has the same value as spec.clusterName, which metadata does not contain. */
function toLabelledCluster(object: Unstructured): readonly Name[] {
  const name = object.metadata.labels?.[clusterNameLabel] ?? '';
  return name === '' ? [] : [toName(object, name)];
}

/**
 * A Cluster may reference an object that has no owner reference to it. A list finds this Cluster. Objects of Machines and
 * other owners of Cluster API are not referenced by Clusters.
 */
function toOwningClusters(object: Unstructured): readonly Name[] | 'expand' {
  const { annotations = {}, ownerReferences = [] } = object.metadata;
  if (pausedAnnotation in annotations) {
    return [];
  }
  const owners = ownerReferences.filter(({ apiVersion }) => groupOf(apiVersion) === clusterGroup);
  return owners.length === 0
    ? 'expand'
    : owners.filter(({ kind }) => kind === 'Cluster').map(({ name }) => toName(object, name));
}

function namesSource(primary: Unstructured, source: ObjectRef): boolean {
  const { infrastructureRef, controlPlaneRef } = readClusterReferences(primary);
  const isNamed = (ref: ContractReference) =>
    ref.apiGroup === groupOf(source.apiVersion) && isKind(ref.kind, source.kind) && ref.name === source.name;
  const isNear = (primary.metadata.namespace ?? '') === (source.namespace ?? '');
  return isNear && (isNamed(infrastructureRef) || isNamed(controlPlaneRef));
}
