// The deprecated condition family with severities, which v1beta1 clients read.

import { compareText, type Instant, type Unstructured } from '@capi-serverless/apimachinery';
import { parseTimestamp, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import * as z from 'zod/mini';
import type { Severity, V1Beta1Condition, V1Beta1Draft } from './condition.ts';
import { hasSameV1Beta1State } from './equality.ts';
import { getCondition } from './get.ts';
import { toFittingV1Beta1 } from './message-limits.ts';

/** The reason why a condition is not True. */
interface V1Beta1Cause {
  readonly reason: string;
  readonly severity: Severity;
  readonly message?: string;
}

export function v1Beta1True(type: string): V1Beta1Draft {
  return { type, status: 'True' };
}

export function v1Beta1False(type: string, cause: V1Beta1Cause): V1Beta1Draft {
  const { reason, severity, message } = cause;
  return toDraft({ type, status: 'False', severity, reason, message });
}

export function v1Beta1Unknown(
  type: string,
  cause: { readonly reason: string; readonly message?: string },
): V1Beta1Draft {
  const { reason, message } = cause;
  return toDraft({ type, status: 'Unknown', reason, message });
}

/** Sets these conditions in order. */
export function setV1Beta1Conditions(
  list: readonly V1Beta1Condition[],
  drafts: readonly (V1Beta1Draft | undefined)[],
  options: { readonly now: Instant },
): readonly V1Beta1Condition[] {
  return drafts.reduce((all, draft) => setV1Beta1Condition(all, draft, options), list);
}

/**
 * Returns the list with this condition set. Any change of its state sets the transition time to `now`. An undefined
 * condition changes nothing. Returns the same list if nothing changed, otherwise `Ready` first and the rest by name.
 */
export function setV1Beta1Condition(
  list: readonly V1Beta1Condition[] = [],
  given: V1Beta1Draft | undefined,
  { now }: { readonly now: Instant },
): readonly V1Beta1Condition[] {
  if (given === undefined) {
    return list;
  }
  const draft = fitting(given);
  const existing = getCondition(list, draft.type);
  if (existing === undefined) {
    const time = parseTimestamp(draft.lastTransitionTime ?? '');
    return sortV1Beta1Conditions([...list, withTime(draft, time.ok ? time.value : now)]);
  }
  if (hasSameV1Beta1State(existing, draft)) {
    return list;
  }
  return sortV1Beta1Conditions(list.map(item => (item === existing ? withTime(draft, now) : item)));
}

/** The API server refuses the whole status if a message or a reason is longer. */
function fitting(draft: V1Beta1Draft): V1Beta1Draft {
  const { message, reason } = draft;
  return {
    ...draft,
    ...(message === undefined ? {} : { message: toFittingV1Beta1.message(message) }),
    ...(reason === undefined ? {} : { reason: toFittingV1Beta1.reason(reason) }),
  };
}

/** Sorts `Ready` first, then by name. */
export function sortV1Beta1Conditions<C extends V1Beta1Draft>(list: readonly C[]): readonly C[] {
  const rank = ({ type }: C): number => (type === 'Ready' ? 0 : 1);
  return list.toSorted((a, b) => rank(a) - rank(b) || compareText(a.type, b.type));
}

const text = z.nullish(z.string());

const itemSchema = z.object({
  type: text,
  status: text,
  severity: text,
  lastTransitionTime: z.nullish(z.string().check(z.refine(value => parseTimestamp(value).ok))),
  reason: text,
  message: text,
});

const statusSchema = z.object({ status: z.object({ conditions: z.array(itemSchema) }) });

/** Returns the `status.conditions` of an object of any kind without validation. Empty if the list cannot be decoded. */
export function readV1Beta1Conditions(object: Unstructured): readonly V1Beta1Draft[] {
  const decoded = statusSchema.safeParse(object);
  return decoded.success ? decoded.data.status.conditions.map(toDraft) : [];
}

/** Returns a stored list of the deprecated family. Malformed items are omitted. */
export function storedV1Beta1Conditions(value: unknown): readonly V1Beta1Condition[] {
  return (Array.isArray(value) ? value : []).flatMap(item => {
    const decoded = itemSchema.safeParse(item);
    if (!decoded.success || !decoded.data.type) {
      return [];
    }
    return [{ ...toDraft(decoded.data), lastTransitionTime: decoded.data.lastTransitionTime ?? '' }];
  });
}

/** The condition if `Ready` is missing. */
export type V1Beta1Fallback = { readonly value: true } | ({ readonly value: false } & V1Beta1Cause);

/** Returns the source's `Ready` with the target's type, or else the fallback, or else nothing. */
export function mirrorV1Beta1Ready(
  source: readonly V1Beta1Draft[],
  targetType: string,
  fallback?: V1Beta1Fallback,
): V1Beta1Draft | undefined {
  const ready = getCondition(source, 'Ready');
  if (ready !== undefined) {
    return { ...ready, type: targetType };
  }
  if (fallback === undefined) {
    return undefined;
  }
  return fallback.value ? v1Beta1True(targetType) : v1Beta1False(targetType, fallback);
}

type Nullish<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

/** Omits empty fields, like the API. */
function toDraft(fields: Nullish<V1Beta1Draft>): V1Beta1Draft {
  const { type, status, severity, lastTransitionTime, reason, message } = fields;
  return {
    type: type ?? '',
    status: status ?? '',
    ...(severity ? { severity } : {}),
    ...(lastTransitionTime ? { lastTransitionTime } : {}),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  };
}

function withTime(draft: V1Beta1Draft, time: Instant): V1Beta1Condition {
  return { ...toDraft(draft), lastTransitionTime: toTimestamp(time) };
}
