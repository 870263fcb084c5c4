// Selects the form of a value from those that its type allows, and identifies the parts of the value.
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import { deduced, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { keyElement, valueElement } from './path-element.ts';

/** A value as a leaf, a map or a list. */
export type ValueShape =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'list'; readonly type: ListType; readonly items: readonly unknown[] }
  | { readonly kind: 'map'; readonly type: MapType; readonly members: JsonObject };

const leafShape: ValueShape = { kind: 'leaf' };

/** Null, empty and atomic values are leaves. */
export function shapeOf(type: MergeType, value: unknown): ValueShape {
  if (Array.isArray(value)) {
    return type.list === undefined || type.list.merge === 'atomic' || value.length === 0
      ? leafShape
      : { kind: 'list', type: type.list, items: value };
  }
  if (!isJsonObject(value) || type.map === undefined || type.map.atomic) {
    return leafShape;
  }
  for (const _ in value) {
    return { kind: 'map', type: type.map, members: value };
  }
  return leafShape;
}

/** Returns the type of a member. Returns `deduced` if the schema does not declare it. */
export function memberType(type: MapType, name: string): MergeType {
  return type.fields.get(name) ?? type.rest ?? deduced;
}

/**
 * The path element of an item in a list that is merged by item. A text that starts with "!" is the reason why there is
 * none.
 */
export function itemElement(type: ListType, item: unknown): string {
  return type.merge === 'set' ? memberElement(item) : keyedElement(type, item);
}

function memberElement(item: unknown): string {
  if (item === null) {
    return `!associative list without keys has an element that's an explicit null`;
  }
  return typeof item === 'object'
    ? `!associative list without keys has an element that's a ${Array.isArray(item) ? 'list' : 'map'} type`
    : valueElement(item);
}

/** Returns the element of the keys that are present or have a default. */
function keyedElement({ keys, defaults }: ListType, item: unknown): string {
  if (!isJsonObject(item)) {
    return `!associative list with keys may not have ${item === null ? 'a null element' : 'non-map elements'}`;
  }
  const keyValues = keys.flatMap(key => {
    const value = item[key] === undefined ? defaults.get(key) : item[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return keyValues.length === 0
    ? `!associative list with keys has an element that omits all key fields ${JSON.stringify(keys)}`
    : keyElement(keyValues);
}

export function isElement(element: string): boolean {
  return !element.startsWith('!');
}

/** Returns items by path element, in order. Items without an element are omitted. Equal items are all kept. */
export function itemsByElement(type: ListType, items: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const element = itemElement(type, item);
    const duplicates = found.get(element);
    if (duplicates !== undefined) {
      duplicates.push(item);
    } else if (isElement(element)) {
      found.set(element, [item]);
    }
  }
  return found;
}
