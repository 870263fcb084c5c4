// The label and the owner reference of the deployment itself: its Cluster.
import { toRef } from '@capi-serverless/apimachinery';
import { clusterOwner, decideOwnership } from '@capi-serverless/cluster-api/contract';
import type { Action } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';

export const patchMetadataId = 'deployment:metadata';

export function ownMetadataActions(
  { object, metadata, spec }: WholeMachineDeployment,
  cluster: Cluster,
): readonly Action[] {
  const { name, uid } = cluster.metadata;
  const owner = clusterOwner({ name, uid, hasTopology: false });
  const ownership = decideOwnership(object, { owner, clusterName: spec.clusterName });
  return ownership.state !== 'change'
    ? []
    : [
        {
          id: patchMetadataId,
          onError: 'stop',
          do: 'patch',
          ref: toRef(object),
          body: ownership.patch,
          resourceVersion: metadata.resourceVersion,
        },
      ];
}
