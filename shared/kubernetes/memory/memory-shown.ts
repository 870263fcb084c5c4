// What a read of the memory adapter shows of an object.
import { isJsonObject, type Unstructured, type WatchQuery } from '@capi-serverless/apimachinery';
import { type KeptFields, objectFields, toKeptFields } from '../rest/json-bytes.ts';

/** Returns what a read shows of an object: all of it, its metadata, or the requested fields. */
export function shownAs({ as, parts }: Pick<WatchQuery, 'as' | 'parts'>): (object: Unstructured) => Unstructured {
  if (as === 'metadata') {
    return toPartial;
  }
  return parts === undefined
    ? object => object
    : object => withFields(object, toKeptFields([...objectFields, ...parts]));
}

function withFields<T>(value: T, fields: KeptFields): T {
  if (Array.isArray(value)) {
    return value.map(item => withFields(item, fields)) as T; // true: a list of the same items with fewer fields
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const below = fields.get(name);
    return below === undefined ? [] : [[name, below === true ? inner : withFields(inner, below)] as const];
  });
  return Object.fromEntries(kept) as T; // true: all fields of an answer are optional, except those that are always kept
}

function toPartial({ apiVersion, kind, metadata }: Unstructured): Unstructured {
  return { apiVersion, kind, metadata };
}
