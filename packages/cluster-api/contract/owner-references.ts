// Owner references, and the Cluster's owner reference and cluster-name label on infrastructure and control plane
// objects.
import {
  groupOf,
  type MergePatch,
  type OwnerReference,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';

export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';

interface OwningCluster {
  readonly name: string;
  readonly uid: string;
  /** A Cluster with a managed topology is the controller of its objects. */
  readonly hasTopology: boolean;
}

/** `change` is the merge patch with only the required changes. A list in the patch requires a resourceVersion. */
type Ownership =
  | { readonly state: 'settled' }
  | { readonly state: 'change'; readonly patch: MergePatch }
  | { readonly state: 'refused'; readonly error: string };

/**
 * Returns the missing owner reference and label of this Cluster's object. An older reference to the same Cluster is
 * replaced in place. Fails if the Cluster must be the controller and another object already is.
 */
export function decideOwnership(object: Unstructured, cluster: OwningCluster): Ownership {
  const { ownerReferences = [], labels = {} } = object.metadata;
  const wanted = toOwnerReference(cluster);
  const owners = placeOwner(ownerReferences, wanted);
  const hasReference = owners === ownerReferences;
  const hasLabel = labels[clusterNameLabel] === cluster.name;
  if (hasReference && hasLabel) {
    return { state: 'settled' };
  }
  const otherController = ownerReferences.find(reference => reference.controller === true);
  if (cluster.hasTopology && otherController !== undefined && !isSameOwner(otherController, wanted)) {
    const name = toDisplayName(object.metadata);
    return {
      state: 'refused',
      error: `Object ${name} is already owned by another ${otherController.kind} controller ${otherController.name}`,
    };
  }
  const metadata = {
    ...(hasReference ? {} : { ownerReferences: owners }),
    ...(hasLabel ? {} : { labels: { [clusterNameLabel]: cluster.name } }),
  };
  return { state: 'change', patch: { metadata } };
}

function toOwnerReference({ name, uid, hasTopology }: OwningCluster): OwnerReference {
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

function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return groupOf(a.apiVersion) === groupOf(b.apiVersion) && a.kind === b.kind && a.name === b.name;
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
