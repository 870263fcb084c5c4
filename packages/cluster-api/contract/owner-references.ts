// Owner references, and the owner reference and cluster-name label that Clusters and Machines set on the objects that
// they reference.
import {
  groupOf,
  type MergePatch,
  type OwnerReference,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';

export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';

/** The owner of an object, and the Cluster that both belong to. */
export interface Owning {
  readonly owner: OwnerReference;
  readonly clusterName: string;
  /** Selects owner references that are removed: those of an owner until this one exists. Default: none. */
  readonly isTemporary?: (reference: OwnerReference) => boolean;
}

/** `change` is the merge patch with only the required changes. A list in the patch requires a resourceVersion. */
type Ownership =
  | { readonly state: 'settled' }
  | { readonly state: 'change'; readonly patch: MergePatch }
  | { readonly state: 'refused'; readonly error: string };

/**
 * Returns the missing owner reference and label. An older reference to the same owner is replaced in place. Fails if the
 * owner must be the controller and another object already is. Also fails if another Cluster owns the object: otherwise
 * two Clusters that reference one object would replace each other's label again and again. The garbage collector removes the
 * reference of a deleted Cluster.
 */
export function decideOwnership(object: Unstructured, { owner, clusterName, isTemporary }: Owning): Ownership {
  const { ownerReferences = [], labels = {} } = object.metadata;
  const lasting = isTemporary === undefined ? ownerReferences : withoutTemporary(ownerReferences, isTemporary);
  const owners = placeOwner(lasting, owner);
  const hasReference = owners === ownerReferences;
  const hasLabel = labels[clusterNameLabel] === clusterName;
  if (hasReference && hasLabel) {
    return { state: 'settled' };
  }
  const otherCluster = lasting.find(reference => isOfSameKind(reference, owner) && reference.name !== owner.name);
  if (owner.kind === 'Cluster' && otherCluster !== undefined) {
    return {
      state: 'refused',
      error: `Object ${toDisplayName(object.metadata)} is already owned by Cluster ${otherCluster.name}`,
    };
  }
  const otherController = lasting.find(reference => reference.controller === true);
  if (owner.controller === true && otherController !== undefined && !isSameOwner(otherController, owner)) {
    const name = toDisplayName(object.metadata);
    return {
      state: 'refused',
      error: `Object ${name} is already owned by another ${otherController.kind} controller ${otherController.name}`,
    };
  }
  const metadata = {
    ...(hasReference ? {} : { ownerReferences: owners }),
    ...(hasLabel ? {} : { labels: { [clusterNameLabel]: clusterName } }),
  };
  return { state: 'change', patch: { metadata } };
}

/** Returns the same list if it contains no temporary owner. */
function withoutTemporary(
  references: readonly OwnerReference[],
  isTemporary: (reference: OwnerReference) => boolean,
): readonly OwnerReference[] {
  const lasting = references.filter(reference => !isTemporary(reference));
  return lasting.length === references.length ? references : lasting;
}

interface OwningCluster {
  readonly name: string;
  readonly uid: string;
  /** A Cluster with a managed topology is the controller of its objects. */
  readonly hasTopology: boolean;
}

/** Returns the owner reference that a Cluster sets on its infrastructure and control plane objects. */
export function clusterOwner({ name, uid, hasTopology }: OwningCluster): OwnerReference {
  const reference = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid };
  return hasTopology ? { ...reference, controller: true, blockOwnerDeletion: true } : reference;
}

/** Compares two references. blockOwnerDeletion is ignored. */
function isSettled(reference: OwnerReference, wanted: OwnerReference): boolean {
  return (
    reference.apiVersion === wanted.apiVersion &&
    reference.kind === wanted.kind &&
    reference.name === wanted.name &&
    reference.uid === wanted.uid &&
    (reference.controller ?? false) === (wanted.controller ?? false)
  );
}

function isOfSameKind(a: OwnerReference, b: OwnerReference): boolean {
  return groupOf(a.apiVersion) === groupOf(b.apiVersion) && a.kind === b.kind;
}

function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return isOfSameKind(a, b) && a.name === b.name;
}

/**
 * Returns the list with this owner, or the same list if it is present. An older reference to the same object is
 * replaced in place.
 */
export function placeOwner(list: readonly OwnerReference[], wanted: OwnerReference): readonly OwnerReference[] {
  if (list.some(reference => isSettled(reference, wanted))) {
    return list;
  }
  const place = list.findIndex(reference => isSameOwner(reference, wanted));
  return place < 0 ? [...list, wanted] : list.with(place, wanted);
}
