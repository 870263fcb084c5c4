// Decides the writes of one pass: add the finalizer, or delete the dependents and then remove the finalizer.
import { type Action, patchFinalizers } from '@capi-serverless/reconciler';
import type { Dependent, TemplateCleanupSeen } from './seen.ts';

export const addFinalizerId = 'finalizer:add';
export const removeFinalizerId = 'finalizer:remove';

export function deleteId({ uid }: Dependent): string {
  return `delete:${uid}`;
}

export function decide(seen: TemplateCleanupSeen): readonly Action[] {
  switch (seen.step) {
    case 'addFinalizer':
      return [patchFinalizers(addFinalizerId, seen.object, [...finalizersOf(seen), seen.finalizer])];
    case 'cleanUp':
      return seen.dependents.ok
        ? [
            ...seen.dependents.value.map(toDelete),
            patchFinalizers(
              removeFinalizerId,
              seen.object,
              finalizersOf(seen).filter(each => each !== seen.finalizer),
            ),
          ]
        : [];
  }
}

function toDelete(dependent: Dependent): Action {
  return { id: deleteId(dependent), onError: 'stop', do: 'delete', ref: dependent.ref, uid: dependent.uid };
}

function finalizersOf({ object }: TemplateCleanupSeen): readonly string[] {
  return object.metadata.finalizers ?? [];
}
