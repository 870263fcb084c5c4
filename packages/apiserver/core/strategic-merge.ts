// Strategic merge patches: merge patches whose lists are merged by the rules of their kind, with directives. Pure.
// https://github.com/kubernetes/design-proposals-archive/blob/main/cli/preserve-order-in-strategic-merge-patch.md
// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
import { isJsonObject, type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import { badRequest } from './status.ts';

/**
 * How a list is merged: it is replaced, it is a set of values, or it contains objects that are identified by the member
 * `key`.
 */
type ListStrategy = 'replace' | 'set' | { readonly key: string };

/** The strategies of the lists of a kind, by their paths. Without a strategy, patches of the list are refused. */
export type ListStrategies = Readonly<Record<string, ListStrategy>>;

/** The lists that all objects have. */
const metadataLists: ListStrategies = {
  'metadata.finalizers': 'set',
  'metadata.ownerReferences': { key: 'uid' },
  'metadata.managedFields': 'replace',
};

const directive = '$patch';
const retainKeys = '$retainKeys';
const orderOf = '$setElementOrder/';
const deletedFrom = '$deleteFromPrimitiveList/';

/** Returns the patched object. Throws BadRequest for lists without a strategy and for malformed directives. */
export function applyStrategicMerge(live: JsonObject, patch: unknown, lists: ListStrategies): JsonObject {
  if (!isJsonObject(patch)) {
    throw badRequest('error decoding patch: a strategic merge patch is an object');
  }
  return mergeObject(live, patch, { path: '', lists: { ...metadataLists, ...lists } });
}

interface Place {
  /** The dotted path. Items of lists do not occur in it. */
  readonly path: string;
  readonly lists: ListStrategies;
}

function below({ path, lists }: Place, key: string): Place {
  return { path: path === '' ? key : `${path}.${key}`, lists };
}

function mergeObject(live: JsonObject, patch: JsonObject, place: Place): JsonObject {
  const { [directive]: action, ...rest } = patch;
  if (action === 'delete') {
    return {};
  }
  if (action !== undefined && action !== 'replace') {
    throw badRequest(
      `unknown patch type found: ${JSON.stringify(action)}${place.path === '' ? '' : ` at ${place.path}`}`,
    );
  }
  const merged = new Map(Object.entries(action === 'replace' ? {} : retained(live, rest, place)));
  for (const key of patchedKeys(rest)) {
    const value = mergeMember(merged.get(key), key, rest, below(place, key));
    if (value === undefined) {
      merged.delete(key);
    } else {
      merged.set(key, value);
    }
  }
  return Object.fromEntries(merged);
}

/** Returns the live members that `$retainKeys` keeps. */
function retained(live: JsonObject, patch: JsonObject, { path }: Place): JsonObject {
  const kept = patch[retainKeys];
  if (kept === undefined) {
    return live;
  }
  const unknown = Array.isArray(kept)
    ? Object.keys(patch).find(key => !isDirective(key) && patch[key] !== null && !kept.includes(key))
    : path;
  if (!Array.isArray(kept) || unknown !== undefined) {
    throw badRequest(`${retainKeys} must list all members of the patch; wrong at ${path === '' ? 'the object' : path}`);
  }
  return Object.fromEntries(Object.entries(live).filter(([key]) => kept.includes(key)));
}

const isDirective = (key: string): boolean => key.startsWith('$');

/** The members that the patch changes, by themselves or by a directive about them. */
function patchedKeys(patch: JsonObject): ReadonlySet<string> {
  return new Set(
    Object.keys(patch).flatMap(key => {
      const about = [orderOf, deletedFrom].find(prefix => key.startsWith(prefix));
      if (about !== undefined) {
        return [key.slice(about.length)];
      }
      if (isDirective(key) && key !== retainKeys) {
        throw badRequest(`a strategic merge patch has no directive ${key}`);
      }
      return key === retainKeys ? [] : [key];
    }),
  );
}

/** Returns `undefined` if the member is removed. */
function mergeMember(live: unknown, key: string, patch: JsonObject, place: Place): unknown {
  const value = patch[key];
  if (value === null) {
    return undefined;
  }
  const order = patch[`${orderOf}${key}`];
  const deleted = patch[`${deletedFrom}${key}`];
  if (Array.isArray(value) || order !== undefined || deleted !== undefined) {
    return mergeList(Array.isArray(live) ? live : [], { value, order, deleted }, place);
  }
  return isJsonObject(value) ? mergeObject(asObject(live), value, place) : value;
}

interface ListPatch {
  readonly value: unknown;
  /** The identities of all items of the client, in their order. */
  readonly order: unknown;
  /** The values that are removed from a set. */
  readonly deleted: unknown;
}

function mergeList(live: readonly unknown[], { value, order, deleted }: ListPatch, place: Place): unknown {
  const { path, lists } = place;
  const strategy = Object.hasOwn(lists, path) ? lists[path] : undefined;
  if (strategy === undefined) {
    throw badRequest(`a strategic merge patch may not contain the list ${path}: send a merge patch or a JSON patch`);
  }
  const items = listOf(value, path);
  if (strategy === 'replace') {
    return items;
  }
  // Without an order of all items, those of the patch have its order.
  const ordered = order === undefined ? items.filter(item => actionOf(item) === undefined) : listOf(order, path);
  if (strategy === 'set') {
    const removed = listOf(deleted, path);
    const kept = live.filter(item => !includes(removed, item));
    const merged = [...kept, ...items].filter(
      (item, index, all) => all.findIndex(each => sameJson(each, item)) === index,
    );
    return inOrder(merged, { live, order: ordered, isSame: sameJson });
  }
  const { key } = strategy;
  const identify = (item: unknown): unknown => identityOf(item, key, path);
  const isSame = (a: unknown, b: unknown): boolean => sameJson(identify(a), identify(b));
  return inOrder(mergeItems(live, items, { key, isSame, place }), { live, order: ordered, isSame });
}

const actionOf = (item: unknown): unknown => (isJsonObject(item) ? item[directive] : undefined);

interface Identity {
  readonly key: string;
  readonly isSame: (a: unknown, b: unknown) => boolean;
  readonly place: Place;
}

function mergeItems(
  live: readonly unknown[],
  items: readonly unknown[],
  { key, isSame, place }: Identity,
): readonly unknown[] {
  const isReplaced = items.some(item => actionOf(item) === 'replace');
  let merged: readonly unknown[] = isReplaced ? [] : live;
  for (const item of items) {
    const action = actionOf(item);
    if (action === 'replace') {
      continue;
    }
    identityOf(item, key, place.path);
    const found = merged.find(other => isSame(other, item));
    if (action === 'delete') {
      merged = merged.filter(other => !isSame(other, item));
    } else {
      const result = mergeObject(asObject(found), asObject(item), place);
      merged = found === undefined ? [...merged, result] : merged.map(other => (other === found ? result : other));
    }
  }
  return merged;
}

const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

function identityOf(item: unknown, key: string, path: string): unknown {
  const identity = isJsonObject(item) ? item[key] : undefined;
  if (identity === undefined) {
    throw badRequest(`an item of ${path} does not contain its merge key ${key}`);
  }
  return identity;
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (value !== undefined && !Array.isArray(value)) {
    throw badRequest(`a directive about the list ${path} must be a list`);
  }
  return value ?? [];
}

function includes(values: readonly unknown[], wanted: unknown): boolean {
  return values.some(value => sameJson(value, wanted));
}

interface Ordering {
  readonly live: readonly unknown[];
  readonly order: readonly unknown[];
  readonly isSame: (a: unknown, b: unknown) => boolean;
}

/** Items that the client names have its order. Others stay before those that followed them, if these are not new. */
function inOrder(merged: readonly unknown[], { live, order, isSame }: Ordering): readonly unknown[] {
  const rankOf = (item: unknown): number => order.findIndex(each => isSame(each, item));
  const placeOf = (item: unknown): number => live.findIndex(each => isSame(each, item));
  const named = merged.filter(item => rankOf(item) >= 0).toSorted((a, b) => rankOf(a) - rankOf(b));
  const result = [...merged.filter(item => rankOf(item) < 0)];
  for (const [index, item] of named.entries()) {
    const place = placeOf(item);
    const after = named[index - 1];
    const least = after === undefined ? 0 : result.indexOf(after) + 1;
    const next = place < 0 ? least : result.findIndex((other, at) => at >= least && placeOf(other) > place);
    result.splice(next < 0 ? result.length : next, 0, item);
  }
  return result;
}
