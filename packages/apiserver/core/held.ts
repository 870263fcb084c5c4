// What keeps an object whose deletion has begun.
import type { Resource } from './kinds.ts';
import { finalizersOf, type ObjectDraft } from './object.ts';

/** Returns true while finalizers, a grace period or the rules of the kind keep the object. */
export function isHeld({ strategy }: Resource, object: ObjectDraft): boolean {
  const { deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizersOf(object).length > 0 || deletionGracePeriodSeconds > 0 || strategy.holds?.(object) === true;
}
