// Sets and deletes conditions of the v1beta2 family.

import { type Instant, withoutUndefined } from '@capi-serverless/apimachinery';
import { parseTimestamp, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { Condition, ConditionDraft } from './condition.ts';
import { hasSameState } from './equality.ts';
import { getCondition } from './get.ts';
import { longestMessage, longestReason, toFittingReason, toStoredMessage } from './message-limits.ts';
import { sortConditions } from './sort.ts';

export interface SetOptions {
  /** The metadata.generation of the object with the list. */
  readonly generation: number | undefined;
  readonly now: Instant;
}

/**
 * Returns the list with this condition set. The transition time changes only with the status. observedGeneration
 * becomes the given generation. A message above the API server's limit is truncated, and a
 * reason above it is replaced. Returns the same list if nothing
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
    ...withoutUndefined({ observedGeneration: generation }),
    lastTransitionTime: toTimestamp(time.ok ? time.value : now),
    reason: toFittingReason(reason, longestReason),
    message: toStoredMessage(message, longestMessage),
  });
}

/** Sets these conditions in order. An undefined condition changes nothing. */
export function setConditions(
  list: readonly Condition[],
  drafts: readonly (ConditionDraft | undefined)[],
  options: SetOptions,
): readonly Condition[] {
  return drafts.reduce((all, draft) => (draft === undefined ? all : setCondition(all, draft, options)), list);
}

/** Like `setCondition`, for a condition with time and observedGeneration. */
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

/** Returns the list without this type, in the same order. Returns the same list if the type is absent. */
export function deleteCondition<C extends { readonly type: string }>(list: readonly C[], type: string): readonly C[] {
  return list.some(condition => condition.type === type) ? list.filter(condition => condition.type !== type) : list;
}
