// Computes the JSON merge patch (RFC 7386) that changes one JSON value to another.

import { isJsonObject, type JsonObject, memberOf, sameJson, setMember } from './json.ts';
import type { MergePatch } from './object.ts';

/** Returns `undefined` if both values are equal. Lists are replaced as a whole. A removed field becomes null. */
export function mergeDiff(before: JsonObject, after: JsonObject): MergePatch | undefined {
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(after)) {
    const change = valueDiff(memberOf(before, field), value);
    if (change !== undefined) {
      setMember(patch, field, change);
    }
  }
  for (const field of Object.keys(before)) {
    if (before[field] !== undefined && memberOf(after, field) === undefined) {
      setMember(patch, field, null);
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function valueDiff(before: unknown, after: unknown): unknown {
  if (isJsonObject(before) && isJsonObject(after)) {
    return mergeDiff(before, after);
  }
  return sameJson(before, after) ? undefined : after;
}

/** Returns the value at a dotted path, or `undefined` if the path does not exist. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const field of path.split('.')) {
    value = memberOf(value, field);
  }
  return value;
}

/** Returns an object that contains only `value` at a dotted path. */
export function nest(path: string, value: unknown): JsonObject {
  return path.split('.').reduceRight<unknown>((inner, field) => ({ [field]: inner }), value) as JsonObject; // true: a path has at least one field
}

/** Merges both objects field by field. `over` has precedence unless both values are objects. */
export function mergeDeep(under: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...under };
  for (const [field, value] of Object.entries(over)) {
    const present = memberOf(merged, field);
    setMember(merged, field, isJsonObject(present) && isJsonObject(value) ? mergeDeep(present, value) : value);
  }
  return merged;
}
