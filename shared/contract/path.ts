// Typed reading of single fields of objects whose kind is not ours, by dotted path; nothing else of the object is touched.

/** `wrongType`: the field is there, but not what the contract says it is. */
export type Found<T> =
  | { readonly state: 'value'; readonly value: T }
  | { readonly state: 'absent' }
  | { readonly state: 'wrongType'; readonly error: string };

type Fields = Readonly<Record<string, unknown>>;

export function readString(object: unknown, path: string): Found<string> {
  throw new Error(`not written: ${object} ${path}`);
}

export function readBoolean(object: unknown, path: string): Found<boolean> {
  throw new Error(`not written: ${object} ${path}`);
}

export function readInteger(object: unknown, path: string): Found<number> {
  throw new Error(`not written: ${object} ${path}`);
}

export function readList(object: unknown, path: string): Found<readonly unknown[]> {
  throw new Error(`not written: ${object} ${path}`);
}

export function readMap(object: unknown, path: string): Found<Fields> {
  throw new Error(`not written: ${object} ${path}`);
}

/** The value, or the given one for an absent or mistyped field. */
export function valueOr<T>(found: Found<T>, otherwise: T): T {
  return found.state === 'value' ? found.value : otherwise;
}

/** A copy of the object with this field set; everything off the path is shared with the original. */
export function setAt<T extends object>(object: T, path: string, value: unknown): T {
  throw new Error(`not written: ${object} ${path} ${value}`);
}
