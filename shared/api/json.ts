// JSON values, whatever they mean.

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Equality of JSON values; the order of members does not count, and an undefined member is an absent one. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  return isJsonObject(left) && isJsonObject(right) && sameMembers(left, right);
}

/** Whole objects are compared on every write: no list of their keys is made. */
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

/** The own member of what may be an object: a label may be called `constructor`. */
export function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Sets a member, whatever it is called: `__proto__` is a name like any other. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/**
 * The value as a JSON merge patch writes it where it removes nothing: without members that are null, in the objects of
 * lists too. The nulls of lists stay.
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
