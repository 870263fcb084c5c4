// The two forms of Events: `v1`, which is stored, and `events.k8s.io/v1`, which has other names for most members.
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/

import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import { floorDivide, parseNanoseconds, toMicroTime, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { ObjectDraft, Stored } from './object.ts';

/** Maps names of `events.k8s.io/v1` to those of `v1`. Other members have the same name in both. */
const storedNames: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};

const shownNames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(storedNames).map(([shown, stored]) => [stored, shown]),
);

function rename(object: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [Object.hasOwn(names, key) ? (names[key] ?? key) : key, value]),
  );
}

/** Converts from `events.k8s.io/v1` to `v1`, except the apiVersion. */
export function toStoredEvent<T extends ObjectDraft>(draft: T): T {
  // True: apiVersion, kind and metadata are not renamed, and T declares no other members.
  return rename(draft, storedNames) as T;
}

/**
 * Converts from `v1` to `events.k8s.io/v1`, except the apiVersion. An empty reporter, which `v1` includes, is omitted.
 */
export function toServedEvent(object: Stored): Stored {
  const present = Object.entries(object).filter(
    ([key, value]) => value !== '' || (key !== 'reportingComponent' && key !== 'reportingInstance'),
  );
  // True: apiVersion, kind and metadata are kept.
  return rename(Object.fromEntries(present), shownNames) as Stored;
}

/** Returns the stored form: without empty omitempty members, with times in UTC. */
export function tidyEvent(draft: ObjectDraft): ObjectDraft {
  const { series } = draft;
  const changes: JsonObject = {
    ...pick(draft, ['reason', 'message', 'type', 'action', 'count'], dropEmpty),
    ...pick(draft, ['involvedObject', 'related', 'source'], value =>
      isJsonObject(value) ? withoutEmpty(value) : value,
    ),
    ...pick(draft, ['firstTimestamp', 'lastTimestamp'], toTime),
    ...pick(draft, ['eventTime'], toMicros),
    ...(isJsonObject(series)
      ? {
          series: withoutEmpty({
            lastObservedTime: null,
            ...series,
            ...pick(series, ['lastObservedTime'], toMicros),
          }),
        }
      : {}),
  };
  const tidy = Object.entries({ ...draft, ...changes }).filter(([, value]) => value !== undefined);
  // True: apiVersion, kind and metadata are kept.
  return Object.fromEntries(tidy) as ObjectDraft;
}

function pick(object: JsonObject, members: readonly string[], change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(members.filter(key => object[key] !== undefined).map(key => [key, change(object[key])]));
}

function dropEmpty(value: unknown): unknown {
  return value === '' || value === 0 ? undefined : value;
}

function withoutEmpty(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => dropEmpty(value) !== undefined));
}

/** Times are in whole seconds. */
function toTime(value: unknown): unknown {
  return converted(value, nanoseconds => toTimestamp(Number(floorDivide(nanoseconds, 1_000_000n))));
}

function toMicros(value: unknown): unknown {
  return converted(value, toMicroTime);
}

function converted(value: unknown, print: (nanoseconds: bigint) => string): unknown {
  const parsed = parseNanoseconds(String(value));
  return parsed.ok ? print(parsed.value) : value;
}
