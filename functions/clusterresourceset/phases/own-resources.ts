// The owner references of ConfigMaps and Secrets. They make `clusterctl move` take them along, and let the garbage
// collector delete them with the last ClusterResourceSet.
import { sameJson } from '@capi-serverless/apimachinery';
import { placeOwner } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import type { ClusterResourceSet } from '../../../shared/api/cluster-resource-set/reader.ts';
import type { SetResource } from '../seen.ts';
import { setOwner } from './plan-binding.ts';

/** Returns the writes of missing owner references. They do not depend on a connection. */
export function ownResources(set: ClusterResourceSet, resources: readonly SetResource[]): readonly Action[] {
  return resources.flatMap((resource): readonly Action[] => {
    if (resource.state !== 'found') {
      return [];
    }
    const { kind, name, metadata } = resource;
    const { ownerReferences = [], resourceVersion, uid } = metadata;
    const owners = placeOwner(ownerReferences, setOwner(set));
    return owners === ownerReferences
      ? []
      : [
          {
            id: `own:${kind}:${name}`,
            onError: 'continue',
            do: 'patch',
            ref: { apiVersion: 'v1', kind, namespace: set.metadata.namespace, name },
            body: { metadata: { ownerReferences: owners } },
            resourceVersion,
            allows: newer => newer.uid === uid && sameJson(newer.ownerReferences ?? [], ownerReferences),
          },
        ];
  });
}
