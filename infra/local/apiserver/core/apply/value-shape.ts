// Which of the shapes that a type allows a value has, and how its parts are told apart.
import { isObject, type JsonObject } from '../json.ts';
import { deduced, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { keyElement, valueElement } from './path-element.ts';

/** How a value is looked at. */
export type Shape =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'list'; readonly type: ListType; readonly items: readonly unknown[] }
  | { readonly kind: 'map'; readonly type: MapType; readonly members: JsonObject };

const leafShape: Shape = { kind: 'leaf' };

/** Null, what is empty and what is merged in one piece are leaves. */
export function shapeOf(type: MergeType, value: unknown): Shape {
  if (Array.isArray(value)) {
    return type.list === undefined || type.list.merge === 'atomic' || value.length === 0
      ? leafShape
      : { kind: 'list', type: type.list, items: value };
  }
  if (!isObject(value) || type.map === undefined || type.map.atomic) {
    return leafShape;
  }
  for (const _ in value) {
    return { kind: 'map', type: type.map, members: value };
  }
  return leafShape;
}

/** The type of a member; of one that the schema does not know nothing is known. */
export function memberType(type: MapType, name: string): MergeType {
  return type.fields.get(name) ?? type.rest ?? deduced;
}

/** The step to an item of a list that is merged item by item. A text that begins with "!" says why there is none. */
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

/** Of the keys that are told or have a default. */
function keyedElement({ keys, defaults }: ListType, item: unknown): string {
  if (!isObject(item)) {
    return `!associative list with keys may not have ${item === null ? 'a null element' : 'non-map elements'}`;
  }
  const told = keys.flatMap(key => {
    const value = item[key] === undefined ? defaults.get(key) : item[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return told.length === 0
    ? `!associative list with keys has an element that omits all key fields ${JSON.stringify(keys)}`
    : keyElement(told);
}

export function isElement(element: string): boolean {
  return !element.startsWith('!');
}

/** Items by their steps, in order; those that cannot be told apart are left out, and of those that are equal all are kept. */
export function itemsByElement(type: ListType, items: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const item of items) {
    const element = itemElement(type, item);
    const twins = found.get(element);
    if (twins !== undefined) {
      twins.push(item);
    } else if (isElement(element)) {
      found.set(element, [item]);
    }
  }
  return found;
}
