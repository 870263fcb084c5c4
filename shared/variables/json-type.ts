// What JSON values are called in schemas, and when two of them are the same.
import { compareText } from '../names/text-order.ts';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** Above it, API servers hold integers as floating point numbers. */
export const int64Limit = 2 ** 63;

/** A number without a fraction is an integer as long as 64 bits hold it. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null || value === undefined) {
    return 'null';
  }
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= -int64Limit && value < int64Limit ? 'integer' : 'number';
  }
  if (Array.isArray(value)) {
    return 'array';
  }
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'object';
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return jsonTypeOf(value) === 'object';
}

/** JSON in which the order of members does not show: equal texts, equal values. */
export function toComparableText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([left], [right]) => compareText(left, right)))
      : each,
  );
}

/** The member of that name, if it is the object's own. */
export function memberOf<T>(members: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Members in the order of their names, so that messages come in one order everywhere. */
export function sortedEntries<T>(members: Readonly<Record<string, T>> | undefined): readonly (readonly [string, T])[] {
  return Object.entries(members ?? {}).toSorted(([left], [right]) => compareText(left, right));
}
