// The two shapes of Events: `v1`, in which they are stored, and `events.k8s.io/v1`, which calls most members otherwise.
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
import { isObject, type JsonObject } from './json.ts';
import type { Draft, Stored } from './object.ts';

/** From the name in `events.k8s.io/v1` to the one in `v1`; the other members have the same name in both. */
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

/** From `events.k8s.io/v1` to `v1`, but for the apiVersion. */
export function toStoredEvent<T extends Draft>(draft: T): T {
  // True: apiVersion, kind and metadata are not renamed, and T promises nothing about other members.
  return rename(draft, storedNames) as T;
}

/** From `v1` to `events.k8s.io/v1`, but for the apiVersion; the reporter, which `v1` shows when it is empty, is left out then. */
export function toShownEvent(object: Stored): Stored {
  const present = Object.entries(object).filter(
    ([key, value]) => value !== '' || (key !== 'reportingComponent' && key !== 'reportingInstance'),
  );
  // True: apiVersion, kind and metadata are kept.
  return rename(Object.fromEntries(present), shownNames) as Stored;
}

/** As the server keeps it: without empty members that are left out, times in UTC. */
export function tidyEvent(draft: Draft): Draft {
  const { series } = draft;
  const changes: JsonObject = {
    ...pick(draft, ['reason', 'message', 'type', 'action', 'count'], dropEmpty),
    ...pick(draft, ['involvedObject', 'related', 'source'], value => (isObject(value) ? withoutEmpty(value) : value)),
    ...pick(draft, ['firstTimestamp', 'lastTimestamp'], toTime),
    ...pick(draft, ['eventTime'], toMicroTime),
    ...(isObject(series)
      ? {
          series: withoutEmpty({
            lastObservedTime: null,
            ...series,
            ...pick(series, ['lastObservedTime'], toMicroTime),
          }),
        }
      : {}),
  };
  const tidy = Object.entries({ ...draft, ...changes }).filter(([, value]) => value !== undefined);
  // True: apiVersion, kind and metadata are kept.
  return Object.fromEntries(tidy) as Draft;
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

/** Whole seconds. */
function toTime(value: unknown): unknown {
  return typeof value === 'string' ? `${new Date(value).toISOString().slice(0, 19)}Z` : value;
}

/** The digits that a Date does not hold are taken over as they are. */
function toMicroTime(value: unknown): unknown {
  const fraction = typeof value === 'string' ? /\.\d{6}/.exec(value) : null;
  return typeof value === 'string' && fraction !== null
    ? `${new Date(value).toISOString().slice(0, 19)}${fraction[0]}Z`
    : value;
}
