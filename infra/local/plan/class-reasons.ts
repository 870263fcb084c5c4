// Why the ClusterClass reconciler does what it does, in words. Pure.
import { ownActionId } from '../../../functions/clusterclass/phases/templates.ts';
import type { Seen } from '../../../functions/clusterclass/seen.ts';
import { toDisplayName } from '../../../shared/api/object.ts';
import type { Because } from './plan.ts';

/** `undefined` for an action that this does not know. */
export function whyOfClusterClass({ action, seen }: Because<Seen>): string | undefined {
  const isOwned =
    seen.step === 'whole' &&
    seen.templates.some(({ object }) => object.ok && ownActionId(object.value.uid) === action.id);
  const name = toDisplayName(seen.clusterClass.metadata);
  return isOwned ? `ClusterClass ${name} names it, and it lacks this owner reference` : undefined;
}
