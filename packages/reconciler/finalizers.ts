// The patch of an object's finalizers. Its precondition is the metadata only, so a concurrent status change does not
// cause another pass. Pure.
import { type ObjectMeta, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { Action } from './types.ts';

/**
 * Replaces the finalizers. An empty list is removed. If the patch fails, later actions are skipped. It is also applied
 * to a newer version of the object if finalizers and deletion state equal those of `object`. A removal also needs the
 * same generation, annotations and labels, because changes of these may require more work first.
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

export const removeFinalizerId = 'finalizer:remove';

export function isDeleting({ metadata }: { readonly metadata: Pick<ObjectMeta, 'deletionTimestamp'> }): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether an object that is not being deleted has no such finalizer. */
export function lacksFinalizer(object: Unstructured, finalizer: string): boolean {
  return !isDeleting(object) && object.metadata.finalizers?.includes(finalizer) !== true;
}

/**
 * Removes the finalizer after the status of the pass is written, as upstream does. Clients that watch the object then see
 * its last state. A crash between the two writes is safe: the next pass reports the same state and removes the finalizer.
 * Returns no action if the finalizer is absent.
 */
export function removeFinalizer(object: Unstructured, finalizer: string): readonly Action[] {
  const { finalizers = [] } = object.metadata;
  const others = finalizers.filter(each => each !== finalizer);
  return others.length === finalizers.length
    ? []
    : [{ ...patchFinalizers(removeFinalizerId, object, others), afterStatus: true }];
}

function isSame(part: (metadata: ObjectMeta) => unknown, one: ObjectMeta, other: ObjectMeta): boolean {
  // The API server sorts keys. A false difference only causes another pass.
  return JSON.stringify(part(one)) === JSON.stringify(part(other));
}

function finalizerState({ uid, finalizers = [], deletionTimestamp }: ObjectMeta): unknown {
  return [uid, finalizers, deletionTimestamp];
}

function demands({ generation, annotations = {}, labels = {} }: ObjectMeta): unknown {
  return [generation, annotations, labels];
}
