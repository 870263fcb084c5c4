// The result of observe for one ClusterResourceSet: the input of the plan.
import type { Checked, ObjectMeta, Unstructured } from '@capi-serverless/apimachinery';
import type { ClusterResourceSet, ResourceName } from '../../shared/api/cluster-resource-set/reader.ts';
import type { ResourceSetBinding } from '../../shared/api/cluster-resource-set-binding/reader.ts';
import type { ServedResource } from '../../shared/workload/api.ts';
import type { ObjectManifest } from './phases/manifest.ts';

/** A Cluster that the selector matches, and that is not being deleted. */
export interface MatchedCluster {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Whether the last probe of the Cluster reconciler reached its API server. A change of this enqueues the set. */
  readonly isProbed: boolean;
}

/** The objects of a ConfigMap or Secret, and the digest of its data. */
export interface ResourceObjects {
  readonly hash: string;
  readonly manifests: readonly ObjectManifest[];
}

/** A ConfigMap or Secret of `spec.resources`. */
export type SetResource = ResourceName &
  (
    | { readonly state: 'missing'; readonly error: string }
    | { readonly state: 'unreadable'; readonly error: string }
    /** A Secret of another type. */
    | { readonly state: 'wrongType' }
    | {
        readonly state: 'found';
        readonly metadata: ObjectMeta;
        /** `undefined`: everything is applied, so the content was not read. */
        readonly content: Checked<ResourceObjects> | undefined;
      }
  );

/** A resource that a pass applies to a Cluster. */
export interface DueResource extends ResourceName, ResourceObjects {
  /** Its place in `spec.resources`. */
  readonly index: number;
}

/** What a pass applies to a Cluster, and what a later one does. */
export interface ClusterWork {
  readonly cluster: MatchedCluster;
  /** `undefined`: it does not exist yet. */
  readonly binding: ResourceSetBinding | undefined;
  readonly due: readonly DueResource[];
  /** Whether further resources are due. The objects of one pass are limited. */
  readonly isPostponed: boolean;
}

/** The resources of a workload cluster by apiVersion. An apiVersion that is not served has none. */
export type Discovered = ReadonlyMap<string, Checked<readonly ServedResource[]>>;

/** The object of a manifest in the workload cluster. */
export type LiveObject =
  /** It was not read: it is only created, or its kind is unknown. */
  | { readonly state: 'unread' }
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly error: string }
  | { readonly state: 'found'; readonly object: Unstructured };

export type ObservedWorkload =
  /** Nothing is due. */
  | { readonly state: 'unneeded' }
  | { readonly state: 'down' }
  | {
      readonly state: 'connected';
      readonly discovered: Discovered;
      /** An object that was not read has no entry. */
      readonly live: ReadonlyMap<ObjectManifest, LiveObject>;
    };

export interface ObservedClusterWork extends ClusterWork {
  readonly workload: ObservedWorkload;
}

/** A pass that applies nothing. */
export type UnreadResourceSet =
  /** The Clusters could not be found. */
  | { readonly step: 'unmatched'; readonly set: ClusterResourceSet; readonly error: string }
  /** The bindings could not be read. The condition is kept. */
  | { readonly step: 'blocked'; readonly set: ClusterResourceSet; readonly error: string };

export type ObservedResourceSet =
  | UnreadResourceSet
  | {
      readonly step: 'deletion';
      readonly set: ClusterResourceSet;
      /** All bindings of the namespace. */
      readonly bindings: readonly ResourceSetBinding[];
    }
  | {
      readonly step: 'clusters';
      readonly set: ClusterResourceSet;
      /** In the order of the spec. Empty if no Cluster matches. */
      readonly resources: readonly SetResource[];
      /** In the order in which they are treated. */
      readonly clusters: readonly ObservedClusterWork[];
    };
