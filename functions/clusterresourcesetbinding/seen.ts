// The result of observe for one ClusterResourceSetBinding.
import type { ResourceSetBinding } from '../../shared/api/cluster-resource-set-binding/reader.ts';

export interface BindingSeen {
  readonly binding: ResourceSetBinding;
  readonly clusterName: string;
  readonly cluster:
    | { readonly state: 'exists' }
    /** It does not exist, or its deletion no longer needs what was applied. */
    | { readonly state: 'ended' }
    | { readonly state: 'unreadable'; readonly error: string };
}
