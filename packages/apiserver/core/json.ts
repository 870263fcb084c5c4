// JSON values: copies, comparison, freezing.

import type { JsonObject } from '@capi-serverless/apimachinery';

/** Returns the value as JSON represents it: a copy without undefined members. Undefined itself becomes null. */
export function toJson(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

/** Freezes the value recursively. A frozen branch is assumed to be completely frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) {
      deepFreeze(member);
    }
  }
  return value;
}

/** Returns a copy without the named members. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
