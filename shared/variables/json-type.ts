// The types of JSON values in schemas, and equality of values.
import { compareText, isJsonObject } from '@capi-serverless/apimachinery';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** API servers convert larger integers to floating point numbers. */
export const int64Limit = 2 ** 63;

/** A number without a fraction is an integer if it fits into 64 bits. */
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

/** Returns JSON with sorted members. Equal texts mean equal values. */
export function toComparableText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([left], [right]) => compareText(left, right)))
      : each,
  );
}

/** Returns the own member with this name. */
export function memberOf<T>(members: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Returns the members sorted by name, so that messages have a stable order. */
export function sortedEntries<T>(members: Readonly<Record<string, T>> | undefined): readonly (readonly [string, T])[] {
  return Object.entries(members ?? {}).toSorted(([left], [right]) => compareText(left, right));
}
