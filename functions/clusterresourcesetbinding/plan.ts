// The plan of one pass over a ClusterResourceSetBinding: its name and owners, then its deletion.
import { toRef } from '@capi-serverless/apimachinery';
import { type Action, failureOf, type Outcomes, type PassChange, type Phase } from '@capi-serverless/reconciler';
import { nameChange } from './phases/cluster-name.ts';
import type { BindingSeen } from './seen.ts';

/** If the patch fails, nothing is deleted. */
export function plan(seen: BindingSeen): Phase<PassChange> {
  const actions = actionsOf(seen);
  const unreadable = seen.cluster.state === 'unreadable' ? [seen.cluster.error] : [];
  const change = (outcomes: Outcomes): PassChange => ({
    errors: [...unreadable, ...actions.flatMap(({ id }) => failureOf(outcomes, id)?.message ?? [])],
  });
  return { actions, steps: [{ change }] };
}

function actionsOf({ binding, clusterName, cluster }: BindingSeen): readonly Action[] {
  const { uid, resourceVersion } = binding.metadata;
  const ref = toRef(binding.object);
  const body = nameChange(binding, clusterName);
  return [
    ...(Object.keys(body).length === 0
      ? []
      : [{ id: 'binding:patch', onError: 'stop', do: 'patch', ref, body, resourceVersion } as const]),
    ...(cluster.state === 'ended' ? [{ id: 'binding:delete', onError: 'stop', do: 'delete', ref, uid } as const] : []),
  ];
}
