// Reads fields of objects that no schema has validated yet. A value of another type is treated as absent.
import { type JsonObject, type LabelSelector, toRecord, valueAt } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { labelSelector, textMap } from '../../api/fields.ts';

/** Returns "" for an absent text. `path` is dotted. */
export function textAt(object: JsonObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

export function isSetAt(object: JsonObject, path: string): boolean {
  return (valueAt(object, path) ?? undefined) !== undefined;
}

/** Returns a map of labels or annotations, or an empty one. */
export function textsAt(object: JsonObject, path: string): Readonly<Record<string, string>> {
  return textMap.parse(valueAt(object, path));
}

export function selectorAt(object: JsonObject, path: string): LabelSelector {
  return labelSelector.parse(toRecord(valueAt(object, path)));
}

/** Returns a copy with one more entry of the map at `path`. The key may contain dots. */
export function withEntry(object: JsonObject, path: string, [key, value]: readonly [string, string]): JsonObject {
  return setAt(object, path, { ...toRecord(valueAt(object, path)), [key]: value });
}

/** Returns a copy with this value if the field is absent. */
export function withDefault(object: JsonObject, path: string, value: unknown): JsonObject {
  return isSetAt(object, path) ? object : setAt(object, path, value);
}
