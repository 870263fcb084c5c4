// What a read of the memory adapter shows of an object.
import { isJsonObject, type Unstructured, type WatchQuery } from '@capi-serverless/apimachinery';
import { type KeptFields, objectFields, toKeptFields } from '../rest/json-bytes.ts';

/** Returns what a read shows of an object: all of it, its metadata, or the requested fields. */
export function shownAs({ as, parts }: Pick<WatchQuery, 'as' | 'parts'>): (object: Unstructured) => Unstructured {
  if (as === 'metadata') {
    return toPartial;
  }
  if (parts === undefined) {
    return object => object;
  }
  const fields = toKeptFields([...objectFields, ...parts]);
  return object => withFields(object, fields);
}

function withFields<T>(value: T, fields: KeptFields): T {
  if (Array.isArray(value)) {
    // True: a list of the same items with fewer fields. A list inside a list is kept whole, as in an answer.
    return value.map(item => (Array.isArray(item) ? item : withFields(item, fields))) as T;
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
