// The plan of one pass: the finalizer is added; in deletion, the dependents are deleted, and then it is removed. Pure.
import { toDisplayName } from '@capi-serverless/apimachinery';
import {
  type Action,
  addFinalizerId,
  concluded,
  inOrder,
  type PassChange,
  type Phase,
  patchFinalizers,
  removeFinalizerId,
} from '@capi-serverless/reconciler';
import type { Dependent, TemplateCleanupSeen } from './seen.ts';

export interface CleanupPlan extends Phase<PassChange> {
  readonly seen: TemplateCleanupSeen;
}

export function plan(seen: TemplateCleanupSeen): CleanupPlan {
  switch (seen.step) {
    case 'addFinalizer':
      return { seen, ...finalizerPhase(seen, addFinalizerId) };
    case 'cleanUp': {
      const { dependents } = seen;
      return dependents.ok
        ? {
            seen,
            ...inOrder([
              ...dependents.value.map(dependent => deletionPhase(seen, dependent)),
              finalizerPhase(seen, removeFinalizerId),
            ]),
          }
        : { seen, ...concluded<PassChange>({ errors: [dependents.error] }) };
    }
  }
}

export function deleteId({ uid }: Dependent): string {
  return `delete:${uid}`;
}

/** There is no status to write before the finalizer is removed. */
function finalizerPhase({ object, finalizer }: TemplateCleanupSeen, id: string): Phase<PassChange> {
  const others = (object.metadata.finalizers ?? []).filter(each => each !== finalizer);
  return id === addFinalizerId
    ? writePhase(
        patchFinalizers(id, object, [...others, finalizer]),
        `failed to add finalizer ${finalizer} to ${nameOf(object)}`,
      )
    : writePhase(patchFinalizers(id, object, others), `failed to remove finalizer ${finalizer} from ${nameOf(object)}`);
}

function deletionPhase({ object }: TemplateCleanupSeen, dependent: Dependent): Phase<PassChange> {
  const { ref, uid } = dependent;
  return writePhase(
    { id: deleteId(dependent), onError: 'stop', do: 'delete', ref, uid },
    `failed to delete ${ref.kind} ${toDisplayName(ref)} for ${nameOf(object)}`,
  );
}

function writePhase(action: Action, problem: string): Phase<PassChange> {
  return { actions: [action], steps: [{ change: {}, needs: [{ id: action.id, problem }] }] };
}

function nameOf({ kind, metadata }: TemplateCleanupSeen['object']): string {
  return `${kind} ${toDisplayName(metadata)}`;
}
