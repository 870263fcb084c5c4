// The patch of an object's finalizers. Its precondition is the metadata alone: a status that another writer changes meanwhile
// does not cost a pass. Pure.
import { type ObjectMeta, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { Action } from './types.ts';

/**
 * Replaces the finalizers; an empty list is removed. Skips later actions if it fails. A newer version of the object allows it
 * as long as its finalizers and the state of its deletion are those of `object`. A removal also needs the same generation,
 * annotations and labels, because those may demand more work before it.
 */
export function patchFinalizers(id: string, object: Unstructured, finalizers: readonly string[]): Action {
  const { metadata } = object;
  const isRemoval = finalizers.length < (metadata.finalizers ?? []).length;
  return {
    id,
    onError: 'stop',
    do: 'patch',
    ref: toRef(object),
    body: { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } },
    resourceVersion: metadata.resourceVersion,
    allows: newer => isSame(finalizerState, metadata, newer) && (!isRemoval || isSame(demands, metadata, newer)),
  };
}

function isSame(part: (metadata: ObjectMeta) => unknown, one: ObjectMeta, other: ObjectMeta): boolean {
  // The API server sorts keys. A false difference only costs another pass.
  return JSON.stringify(part(one)) === JSON.stringify(part(other));
}

function finalizerState({ uid, finalizers = [], deletionTimestamp }: ObjectMeta): unknown {
  return [uid, finalizers, deletionTimestamp];
}

function demands({ generation, annotations = {}, labels = {} }: ObjectMeta): unknown {
  return [generation, annotations, labels];
}
