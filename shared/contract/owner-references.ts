// The mark a Cluster leaves on its infrastructure and control plane objects: an owner reference and the cluster-name label.
import type { MergePatch, Unstructured } from '../api/object.ts';

export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';

export interface OwningCluster {
  readonly name: string;
  readonly uid: string;
  /** A Cluster with a managed topology becomes the controller of its objects. */
  readonly hasTopology: boolean;
}

/** `change`: the merge patch holds what must change and nothing else; a list in it asks for a resourceVersion. */
export type Ownership =
  | { readonly state: 'settled' }
  | { readonly state: 'change'; readonly patch: MergePatch }
  | { readonly state: 'refused'; readonly error: string };

export function decideOwnership(object: Unstructured, cluster: OwningCluster): Ownership {
  throw new Error(`not written: ${object.kind} ${cluster.name}`);
}
