// Merges an intent into an object. Nothing is removed. The result contains the unchanged branches of the object.
import { isJsonObject, sameJson } from '@capi-serverless/apimachinery';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { itemElement, memberType, shapeOf, type ValueShape } from './value-shape.ts';

/** Returns the object with all values of the intent. An equal value keeps its identity. */
export function merge(type: MergeType, object: unknown, intent: unknown): unknown {
  if (intent === undefined || object === undefined) {
    return intent === undefined ? object : intent;
  }
  const [before, intended] = [shapeOf(type, object), shapeOf(type, intent)];
  if (before.kind === 'map' && intended.kind === 'map') {
    return mergeMaps(before.type, before.members, intended.members);
  }
  if (before.kind === 'list' && intended.kind === 'list') {
    return mergeLists(before.type, before.items, intended.items);
  }
  return isNothing(before, intent) || sameJson(object, intent) ? object : intent;
}

/** An empty or null intent does not change a container that is merged by its parts. */
function isNothing(before: ValueShape, intent: unknown): boolean {
  switch (before.kind) {
    case 'leaf':
      return false;
    case 'list':
      return intent === null || (Array.isArray(intent) && intent.length === 0);
    case 'map':
      return intent === null || (isJsonObject(intent) && Object.keys(intent).length === 0);
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

/**
 * Items of the intent keep their order. An item that is only in the object stays before the next item of the intent.
 */
function mergeLists(type: ListType, object: readonly unknown[], intent: readonly unknown[]): readonly unknown[] {
  const old = object.map(item => ({ element: itemElement(type, item), item }));
  const wanted = intent.map(item => ({ element: itemElement(type, item), item }));
  const wantedElements = new Set(wanted.map(({ element }) => element));
  const oldItems = uniqueItems(old);
  const shared = wanted.map(({ element }) => element).filter(element => oldItems.has(element));
  const merged: unknown[] = [];
  let at = 0;
  /** Adds items that are not in the intent, up to `next` or to the end. */
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

/** An item that occurs twice is not merged. */
function uniqueItems(items: readonly Item[]): ReadonlyMap<string, { readonly item: unknown }> {
  const found = new Map<string, { readonly item: unknown }>();
  for (const { element, item } of items) {
    found.set(element, found.has(element) ? { item: undefined } : { item });
  }
  return found;
}
