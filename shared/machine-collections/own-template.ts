// The owner reference of templates: a template belongs to its Cluster, so that it is moved and deleted with it.
import { toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterOwner, placeOwner } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import type { Cluster } from '../api/cluster/reader.ts';

interface OwningTemplate extends Pick<Action, 'id' | 'onError'> {
  readonly template: Unstructured;
  readonly cluster: Cluster;
}

/** Returns no action if the template has the owner reference. */
export function ownTemplate({ template, cluster, ...action }: OwningTemplate): readonly Action[] {
  const { name, uid } = cluster.metadata;
  const { ownerReferences = [], resourceVersion } = template.metadata;
  const owners = placeOwner(ownerReferences, clusterOwner({ name, uid, hasTopology: false }));
  return owners === ownerReferences
    ? []
    : [
        {
          ...action,
          do: 'patch',
          ref: toRef(template),
          body: { metadata: { ownerReferences: owners } },
          resourceVersion,
        },
      ];
}
