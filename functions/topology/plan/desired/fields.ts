// Fields of desired objects. The presence of a field determines its owner, so a field without a value must be absent.
import type { JsonObject } from '@capi-serverless/apimachinery';

/** Returns only the fields that have a value. */
export function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Like `present`, but returns undefined if no field has a value. */
export function presentOrAbsent(fields: JsonObject): JsonObject | undefined {
  const kept = present(fields);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** Returns undefined for an empty list, because the API types omit it. */
export function listOrAbsent(list: readonly unknown[] | undefined): readonly unknown[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/**
 * Returns the value as the API types serialize it. Null and empty members of objects are removed at any depth. Lists do
 * not change.
 */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    return listOrAbsent(value);
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)]);
    return presentOrAbsent(Object.fromEntries(members));
  }
  return value === null || value === '' ? undefined : value;
}
