// Setting and deleting conditions of the v1beta2 family.
import type { Instant } from '../api/object.ts';
import type { Condition, ConditionDraft } from './condition.ts';

export interface SetOptions {
  /** metadata.generation of the object that carries the list. */
  readonly generation: number | undefined;
  readonly now: Instant;
}

/**
 * The list with this condition set. The transition time moves only when the status does; observedGeneration becomes the
 * given generation. Returns the very same list when nothing changed, otherwise a list in the order of `sortConditions`.
 */
export function setCondition(
  list: readonly Condition[] | undefined,
  draft: ConditionDraft,
  options: SetOptions,
): readonly Condition[] {
  throw new Error(`not written: ${list} ${draft} ${options}`);
}

/** The list without that type, the rest in its order; the very same list when the type is not there. */
export function deleteCondition<C extends { readonly type: string }>(list: readonly C[], type: string): readonly C[] {
  return list.some(condition => condition.type === type) ? list.filter(condition => condition.type !== type) : list;
}
