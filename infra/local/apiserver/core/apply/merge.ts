// Lays an intent over an object. Nothing is taken away; branches that the intent leaves alone are shared with the object.
import { isObject, sameJson } from '../json.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { itemElement, memberType, type Shape, shapeOf } from './value-shape.ts';

/** The object with everything that the intent says. A value that is equal stays the very same. */
export function merge(type: MergeType, object: unknown, intent: unknown): unknown {
  if (intent === undefined || object === undefined) {
    return intent === undefined ? object : intent;
  }
  const [before, told] = [shapeOf(type, object), shapeOf(type, intent)];
  if (before.kind === 'map' && told.kind === 'map') {
    return mergeMaps(before.type, before.members, told.members);
  }
  if (before.kind === 'list' && told.kind === 'list') {
    return mergeLists(before.type, before.items, told.items);
  }
  return isNothing(before, intent) || sameJson(object, intent) ? object : intent;
}

/** An empty intent, or null, takes nothing from a container that is merged by its parts. */
function isNothing(before: Shape, intent: unknown): boolean {
  switch (before.kind) {
    case 'leaf':
      return false;
    case 'list':
      return intent === null || (Array.isArray(intent) && intent.length === 0);
    case 'map':
      return intent === null || (isObject(intent) && Object.keys(intent).length === 0);
  }
}

function mergeMaps(
  type: MapType,
  object: Readonly<Record<string, unknown>>,
  intent: Readonly<Record<string, unknown>>,
): unknown {
  let changed = false;
  const kept = Object.entries(object).map(([name, value]): readonly [string, unknown] => {
    const merged = Object.hasOwn(intent, name) ? merge(memberType(type, name), value, intent[name]) : value;
    changed ||= merged !== value;
    return [name, merged];
  });
  const added = Object.entries(intent).filter(([name]) => !Object.hasOwn(object, name));
  return changed || added.length > 0 ? Object.fromEntries([...kept, ...added]) : object;
}

/** Items of both follow the order of the intent; items of the object alone keep their place before what follows them there. */
function mergeLists(type: ListType, object: readonly unknown[], intent: readonly unknown[]): readonly unknown[] {
  const old = object.map(item => ({ element: itemElement(type, item), item }));
  const wanted = intent.map(item => ({ element: itemElement(type, item), item }));
  const wantedElements = new Set(wanted.map(({ element }) => element));
  const oldItems = uniqueItems(old);
  const shared = wanted.map(({ element }) => element).filter(element => oldItems.has(element));
  const merged: unknown[] = [];
  let at = 0;
  /** Up to that item, what the intent does not speak of; without one, to the end. */
  const keepUntil = (next: string | undefined): void => {
    for (let each = old[at]; each !== undefined && each.element !== next; each = old[at]) {
      if (!wantedElements.has(each.element)) {
        merged.push(each.item);
      }
      at += 1;
    }
  };
  for (const { element, item } of wanted) {
    keepUntil(shared[0]);
    if (element === shared[0]) {
      at += old[at]?.element === element ? 1 : 0;
      shared.shift();
    }
    merged.push(merge(type.items, oldItems.get(element)?.item, item));
  }
  keepUntil(undefined);
  return merged.length === object.length && merged.every((item, index) => item === object[index]) ? object : merged;
}

interface Item {
  readonly element: string;
  readonly item: unknown;
}

/** An item that stands there twice is merged with neither. */
function uniqueItems(items: readonly Item[]): ReadonlyMap<string, { readonly item: unknown }> {
  const found = new Map<string, { readonly item: unknown }>();
  for (const { element, item } of items) {
    found.set(element, found.has(element) ? { item: undefined } : { item });
  }
  return found;
}
