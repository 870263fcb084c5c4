// The writes of one pass: the finalizer on, or what goes with the object and then the finalizer off.
import { toRef } from '../api/object.ts';
import type { Action } from '../kernel/types.ts';
import type { Doomed, Seen } from './seen.ts';

export const holdId = 'hold';
export const releaseId = 'release';

export function deleteId({ uid }: Doomed): string {
  return `delete:${uid}`;
}

export function decide(seen: Seen): readonly Action[] {
  switch (seen.step) {
    case 'hold':
      return [finalizersAction(holdId, seen, [...finalizersOf(seen), seen.finalizer])];
    case 'release':
      return seen.doomed.ok
        ? [
            ...seen.doomed.value.map(toDelete),
            finalizersAction(
              releaseId,
              seen,
              finalizersOf(seen).filter(each => each !== seen.finalizer),
            ),
          ]
        : [];
  }
}

function toDelete(doomed: Doomed): Action {
  return { id: deleteId(doomed), onError: 'stop', do: 'delete', ref: doomed.ref, uid: doomed.uid };
}

function finalizersOf({ object }: Seen): readonly string[] {
  return object.metadata.finalizers ?? [];
}

function finalizersAction(id: string, { object }: Seen, finalizers: readonly string[]): Action {
  const { resourceVersion } = object.metadata;
  const body = { metadata: { finalizers } };
  return { id, onError: 'stop', do: 'patch', ref: toRef(object), body, resourceVersion };
}
