// Decides the writes of one pass: add the finalizer, or delete the dependents and then remove the finalizer.
import { toRef } from '@capi-serverless/apimachinery';
import type { Action } from '@capi-serverless/reconciler';
import type { Dependent, Seen } from './seen.ts';

export const addFinalizerId = 'finalizer:add';
export const removeFinalizerId = 'finalizer:remove';

export function deleteId({ uid }: Dependent): string {
  return `delete:${uid}`;
}

export function decide(seen: Seen): readonly Action[] {
  switch (seen.step) {
    case 'addFinalizer':
      return [finalizersAction(addFinalizerId, seen, [...finalizersOf(seen), seen.finalizer])];
    case 'cleanUp':
      return seen.dependents.ok
        ? [
            ...seen.dependents.value.map(toDelete),
            finalizersAction(
              removeFinalizerId,
              seen,
              finalizersOf(seen).filter(each => each !== seen.finalizer),
            ),
          ]
        : [];
  }
}

function toDelete(dependent: Dependent): Action {
  return { id: deleteId(dependent), onError: 'stop', do: 'delete', ref: dependent.ref, uid: dependent.uid };
}

function finalizersOf({ object }: Seen): readonly string[] {
  return object.metadata.finalizers ?? [];
}

function finalizersAction(id: string, { object }: Seen, finalizers: readonly string[]): Action {
  const { resourceVersion } = object.metadata;
  const body = { metadata: { finalizers } };
  return { id, onError: 'stop', do: 'patch', ref: toRef(object), body, resourceVersion };
}
