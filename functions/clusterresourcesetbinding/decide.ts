// Decides the writes of one pass over a ClusterResourceSetBinding: its name and owners, then its deletion.
import { toRef } from '@capi-serverless/apimachinery';
import type { Action } from '@capi-serverless/reconciler';
import { nameChange } from './phases/cluster-name.ts';
import type { BindingSeen } from './seen.ts';

export const patchBindingId = 'binding:patch';
export const deleteBindingId = 'binding:delete';

/** If the patch fails, nothing is deleted. */
export function decide(seen: BindingSeen): readonly Action[] {
  if (seen.step === 'unnamed') {
    return [];
  }
  const { binding, clusterName, cluster } = seen;
  const { uid, resourceVersion } = binding.metadata;
  const ref = toRef(binding.object);
  const body = nameChange(binding, clusterName);
  return [
    ...(Object.keys(body).length === 0
      ? []
      : [{ id: patchBindingId, onError: 'stop', do: 'patch', ref, body, resourceVersion } as const]),
    ...(cluster.state === 'ended' ? [{ id: deleteBindingId, onError: 'stop', do: 'delete', ref, uid } as const] : []),
  ];
}
