// Which changes wake the Cluster reconciler, and which Clusters they concern.
import {
  type ContractReference,
  clusterGroup,
  pausedAnnotation,
  readCluster,
} from '../../shared/api/cluster/reader.ts';
import { groupOf, type Kind, type Name, type ObjectRef, type Unstructured } from '../../shared/api/object.ts';
import { clusterNameLabel } from '../../shared/contract/owner-references.ts';
import type { Watch } from '../../shared/kernel/types.ts';
import { isKind } from '../../shared/names/plural.ts';
import { isControlPlaneMachine } from './phases/descendants.ts';

export const clusterKind: Kind = { group: clusterGroup, version: 'v1beta2', kind: 'Cluster', scope: 'Namespaced' };

export const clusterWatches: readonly Watch[] = [
  { source: clusterKind, as: 'object', map: ({ object }) => [toName(object, object.metadata.name)] },
  // Metadata does not tell whether a Machine has its Node yet, so every change of a control plane Machine counts.
  {
    source: coreKind('Machine'),
    as: 'metadata',
    map: ({ object }) => (isControlPlaneMachine(object) ? toLabelledCluster(object) : []),
  },
  { source: coreKind('MachineDeployment'), as: 'metadata', map: ({ object }) => toLabelledCluster(object) },
  { source: coreKind('MachinePool'), as: 'metadata', map: ({ object }) => toLabelledCluster(object) },
  {
    source: 'referenced',
    as: 'metadata',
    map: ({ object }) => toOwningClusters(object),
    matches: namesSource,
  },
];

function coreKind(kind: string): Kind {
  return { ...clusterKind, kind };
}

function toName({ metadata }: Unstructured, name: string): Name {
  return { namespace: metadata.namespace ?? '', name };
}

/** The label carries the same name as spec.clusterName, which metadata does not show. */
function toLabelledCluster(object: Unstructured): readonly Name[] {
  const name = object.metadata.labels?.[clusterNameLabel] ?? '';
  return name === '' ? [] : [toName(object, name)];
}

/** An object that no Cluster has marked as its own yet may be named by one: a listing tells. */
function toOwningClusters(object: Unstructured): readonly Name[] | 'expand' {
  const { annotations = {}, ownerReferences = [] } = object.metadata;
  if (pausedAnnotation in annotations) {
    return [];
  }
  const owners = ownerReferences.filter(
    owner => owner.kind === 'Cluster' && groupOf(owner.apiVersion) === clusterGroup,
  );
  return owners.length === 0 ? 'expand' : owners.map(owner => toName(object, owner.name));
}

function namesSource(primary: Unstructured, source: ObjectRef): boolean {
  const { infrastructureRef, controlPlaneRef } = readCluster(primary).spec;
  const isNamed = (ref: ContractReference) =>
    ref.apiGroup === groupOf(source.apiVersion) && isKind(ref.kind, source.kind) && ref.name === source.name;
  const isNear = (primary.metadata.namespace ?? '') === (source.namespace ?? '');
  return isNear && (isNamed(infrastructureRef) || isNamed(controlPlaneRef));
}
