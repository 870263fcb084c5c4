// JSON values of any type.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a JSON object unchanged. Any other value becomes an empty object. */
export function toRecord(raw: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(raw) ? Object.fromEntries(Object.entries(raw)) : {};
}

/** Compares JSON values. The order of members is ignored. An undefined member equals an absent one. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  return isJsonObject(left) && isJsonObject(right) && sameMembers(left, right);
}

/** Whole objects are compared on every write, so no list of their keys is allocated. */
function sameMembers(left: JsonObject, right: JsonObject): boolean {
  for (const key in left) {
    if (!sameJson(left[key], memberOf(right, key))) {
      return false;
    }
  }
  for (const key in right) {
    if (memberOf(left, key) === undefined && right[key] !== undefined) {
      return false;
    }
  }
  return true;
}

/**
 * Reads an own member of an object or another value. The check is necessary because a label may have the name
 * `constructor`.
 */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Sets a member with any name, including `__proto__`. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/**
 * Returns the value in a JSON merge patch that removes nothing. Objects, also in lists, have no null members. Null
 * items of lists are kept.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutNulls);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]));
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Returns the fields that have a value. For objects in which an absent field and `undefined` differ. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>; // true: the entries are those of `fields`
}

/** Returns `undefined` for an object without members. */
export function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Returns the items by key, in order. Unlike `Map.groupBy`, it also runs on Node 20. */
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}
