// Changes the status of a provider's object step by step. The object that was read does not change.
import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import { type ConditionDraft, setCondition } from '@capi-serverless/cluster-api/conditions';
import { type ProviderContract, readMap, setAt, valueOr } from '@capi-serverless/cluster-api/contract';
import { conditionsOf } from './provider-observation.ts';
import type { CheckedOwnStatus } from './role.ts';

/** The smaller limit of the two condition families. */
const longestMessage = 10_240;

export interface StatusDraft {
  readonly object: Unstructured;
  readonly now: Instant;
  readonly contract: ProviderContract;
}

/** Conditions have observedGeneration since v1beta2. The schemas of older providers do not declare it. */
export function withCondition(draft: StatusDraft, condition: ConditionDraft): StatusDraft {
  const { object, now, contract } = draft;
  const generation = contract === 'v1beta2' ? object.metadata.generation : undefined;
  const message = (condition.message ?? '').slice(0, longestMessage);
  const conditions = setCondition(conditionsOf(object), { ...condition, message }, { generation, now });
  return withValue(draft, 'status.conditions', conditions);
}

export function withValue(draft: StatusDraft, path: string, value: unknown): StatusDraft {
  return { ...draft, object: setAt(draft.object, path, value) };
}

export function withOwnStatus(draft: StatusDraft, own: CheckedOwnStatus): StatusDraft {
  const stated = own.conditions.reduce(withCondition, draft);
  return Object.entries(own.status).reduce(
    (sofar, [field, value]) => withValue(sofar, `status.${field}`, value),
    stated,
  );
}

/** The complete drafted status. */
export function statusOf({ object }: StatusDraft): Readonly<Record<string, unknown>> {
  return valueOr(readMap(object, 'status'), {});
}
