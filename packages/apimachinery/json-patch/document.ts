// A JSON document during patching. Values are copied on write.
import { isJsonObject, type JsonObject, sameJson } from '../json.ts';

type Members = Record<string, unknown>;
export type Container = Members | unknown[];

/** The position of a written value: the number of levels below the root of the document. */
export interface WritePosition {
  readonly container: Container;
  readonly level: number;
}

/** The error if a patch does not apply. The message contains the failure and its path in the document. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

export class JsonDocument {
  #root: Members;
  /** Containers that only this document references. */
  #owned = new WeakSet<object>();

  constructor(root: JsonObject) {
    this.#root = root; // The value is copied before the first write.
  }

  /** The current document. Later writes do not change the returned value. */
  share(): JsonObject {
    this.#owned = new WeakSet();
    return this.#root;
  }

  /** Returns undefined if the path does not exist or passes through a scalar. */
  containerAt(path: readonly string[]): Container | undefined {
    let container: Container = this.#root;
    for (const segment of path) {
      const key = keyIn(container, segment);
      const value: unknown = key === undefined ? undefined : valueIn(container, key);
      if (!isContainer(value)) {
        return undefined;
      }
      container = value;
    }
    return container;
  }

  /** Returns the same container, prepared for writes. */
  open(path: readonly string[]): WritePosition | undefined {
    if (this.containerAt(path) === undefined) {
      return undefined;
    }
    // True: containerAt found every key.
    return path.reduce((place, segment) => this.enter(place, keyIn(place.container, segment) as string), this.root());
  }

  /** Compares a value of the document with that of an operation. */
  isSame(known: unknown, value: unknown): boolean {
    return sameJson(known, value);
  }

  /** Returns the root, prepared for writes. */
  root(): WritePosition {
    this.#root = this.own(this.#root);
    return { container: this.#root, level: 0 };
  }

  /** Returns the container under this key, prepared for writes. */
  enter({ container, level }: WritePosition, key: string): WritePosition {
    const known = valueIn(container, key) as Container; // True: callers have checked it.
    const child = this.own(known);
    if (child !== known) {
      write(container, key, child);
    }
    return { container: child, level: level + 1 };
  }

  replaceRoot(value: unknown): void {
    if (!isJsonObject(value)) {
      throw new PatchError('the whole document can be replaced by an object only');
    }
    this.#root = value; // The value is copied before the first write.
  }

  /** Sets the member, or replaces the existing item. */
  set({ container }: WritePosition, key: string, value: unknown): void {
    write(container, key, value);
  }

  insert({ container }: WritePosition & { readonly container: unknown[] }, index: number, value: unknown): void {
    container.splice(index, 0, value);
  }

  /** The key must exist. */
  remove({ container }: WritePosition, key: string): void {
    if (Array.isArray(container)) {
      container.splice(Number(key), 1);
    } else {
      delete container[key];
    }
  }

  /** Returns a value to insert elsewhere. It has no parts in common with the document. */
  copyOf(value: unknown): unknown {
    return cloneJson(value);
  }

  protected isOwned(value: object): boolean {
    return this.#owned.has(value);
  }

  /** Returns the container. If other documents may reference it, returns a shallow copy. */
  protected own<T extends Container>(value: T): T {
    if (this.#owned.has(value)) {
      return value;
    }
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as T; // True: a copy has the type of its original.
    this.#owned.add(copy);
    return copy;
  }
}

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Returns the key for the segment of a pointer, or undefined if there is none. */
export function keyIn(container: Container, segment: string): string | undefined {
  if (!Array.isArray(container)) {
    return Object.hasOwn(container, segment) ? segment : undefined;
  }
  const index = toIndex(segment, container.length);
  return index === undefined || index >= container.length ? undefined : String(index);
}

/**
 * A negative index counts from `end`. Returns undefined for an invalid index, or for an index before the first item.
 */
export function toIndex(segment: string, end: number): number | undefined {
  const index = /^(?:0|-?[1-9][0-9]*)$/.test(segment) ? Number(segment) : Number.NaN;
  const counted = index < 0 ? index + end : index;
  return counted >= 0 ? counted : undefined;
}

export function valueIn(container: Container, key: string): unknown {
  return Array.isArray(container) ? container[Number(key)] : container[key];
}

function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(cloneJson);
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cloneJson(member)]))
    : value;
}

/** Writes an own member with any name. */
function write(container: Container, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}
