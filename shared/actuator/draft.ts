// Changing the status of a provider's object step by step, without touching the object that was read.
import type { Instant, Unstructured } from '../api/object.ts';
import type { ConditionDraft } from '../conditions/condition.ts';
import { setCondition } from '../conditions/set.ts';
import { readMap, setAt, valueOr } from '../contract/path.ts';
import type { ProviderContract } from '../contract/provider-paths.ts';
import type { CheckedOwnStatus } from './results.ts';
import { conditionsOf } from './situation.ts';

/** The smaller one of what the two condition families accept. */
const longestMessage = 10_240;

export interface Draft {
  readonly object: Unstructured;
  readonly now: Instant;
  readonly contract: ProviderContract;
}

/** Conditions carry observedGeneration since v1beta2; the schemas of older providers do not know it. */
export function withCondition(draft: Draft, condition: ConditionDraft): Draft {
  const { object, now, contract } = draft;
  const generation = contract === 'v1beta2' ? object.metadata.generation : undefined;
  const message = (condition.message ?? '').slice(0, longestMessage);
  const conditions = setCondition(conditionsOf(object), { ...condition, message }, { generation, now });
  return withValue(draft, 'status.conditions', conditions);
}

export function withValue(draft: Draft, path: string, value: unknown): Draft {
  return { ...draft, object: setAt(draft.object, path, value) };
}

export function withOwnStatus(draft: Draft, own: CheckedOwnStatus): Draft {
  const stated = own.conditions.reduce(withCondition, draft);
  return Object.entries(own.status).reduce(
    (sofar, [field, value]) => withValue(sofar, `status.${field}`, value),
    stated,
  );
}

/** The whole status as drafted. */
export function statusOf({ object }: Draft): Readonly<Record<string, unknown>> {
  return valueOr(readMap(object, 'status'), {});
}
