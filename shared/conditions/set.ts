// Setting and deleting conditions of the v1beta2 family.
import type { Instant } from '../api/object.ts';
import type { Condition, ConditionDraft } from './condition.ts';
import { hasSameState } from './equality.ts';
import { getCondition } from './get.ts';
import { longestMessage, toFittingMessage } from './limits.ts';
import { sortConditions } from './sort.ts';
import { parseTimestamp, toTimestamp } from './timestamp.ts';

export interface SetOptions {
  /** metadata.generation of the object that carries the list. */
  readonly generation: number | undefined;
  readonly now: Instant;
}

/**
 * The list with this condition set. The transition time moves only when the status does; observedGeneration becomes the
 * given generation; a message that is longer than the API server takes is cut. Returns the very same list when nothing
 * changed, otherwise a list in the order of `sortConditions`.
 */
export function setCondition(
  list: readonly Condition[] | undefined,
  draft: ConditionDraft,
  { generation, now }: SetOptions,
): readonly Condition[] {
  const { type, status, reason, message = '' } = draft;
  const time = parseTimestamp(draft.lastTransitionTime ?? '');
  return placeCondition(list ?? [], {
    type,
    status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: toTimestamp(time.ok ? time.value : now),
    reason,
    message: toFittingMessage(message, longestMessage),
  });
}

/** As `setCondition`, for a condition that already has its time and observedGeneration. */
export function placeCondition(list: readonly Condition[], condition: Condition): readonly Condition[] {
  const existing = getCondition(list, condition.type);
  if (existing === undefined) {
    return sortConditions([...list, condition]);
  }
  if (hasSameState(existing, condition)) {
    return list;
  }
  const keepsTime = existing.status === condition.status;
  const placed = keepsTime ? { ...condition, lastTransitionTime: existing.lastTransitionTime } : condition;
  return sortConditions(list.map(item => (item === existing ? placed : item)));
}

/** The list without that type, the rest in its order; the very same list when the type is not there. */
export function deleteCondition<C extends { readonly type: string }>(list: readonly C[], type: string): readonly C[] {
  return list.some(condition => condition.type === type) ? list.filter(condition => condition.type !== type) : list;
}
