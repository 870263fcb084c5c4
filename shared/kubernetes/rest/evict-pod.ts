// The eviction of a Pod. PodDisruptionBudgets apply.
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
import {
  type Answer,
  answered,
  type EvictOptions,
  type ObjectRef,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import type { Send } from './objects.ts';

/** Returns when the eviction is accepted. The Pod may still be terminating. */
export async function evictPod(
  send: Send,
  pod: ObjectRef,
  { uid, gracePeriodSeconds }: EvictOptions,
): Promise<Answer<undefined>> {
  const { namespace, name } = pod;
  const grace = withoutUndefined({ gracePeriodSeconds });
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid }, ...grace },
  };
  const target = { ...pod, subresource: 'eviction' } as const;
  const answer = await send({ verb: 'create', target, body: { type: 'application/json', json: eviction } });
  return answer.ok ? answered(undefined) : answer;
}
