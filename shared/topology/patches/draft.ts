// A JSON document that is being patched. It shares everything with what it was made from until the first write there, and
// knows its own size.
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { type Budget, beyond, type Measured, PatchError } from './limits.ts';
import { cloneJson, itemSize, measure, memberSize } from './measure.ts';

type Members = Record<string, unknown>;
export type Container = Members | unknown[];

/** Where a value is to go: as many levels below the document's root. */
export interface Place {
  readonly container: Container;
  readonly level: number;
}

/** What the copy of a container takes for each of its members. */
const bytesPerMember = 8;

export class Draft {
  readonly #budget: Budget;
  #root: Members;
  #size: number;
  /** Containers that this draft made and nobody else has seen. */
  #owned = new WeakSet<object>();

  /** Throws PatchError when the document itself is too deep. */
  constructor(root: JsonObject, budget: Budget) {
    this.#root = root; // It is copied before anything is written into it.
    this.#budget = budget;
    this.#size = measure(root, budget).size;
  }

  /** The document as it is now; what is written later does not show in it. */
  share(): JsonObject {
    this.#owned = new WeakSet();
    return this.#root;
  }

  /** Undefined where the way breaks off, at what is missing or is no container. */
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

  /** The same container for writing. */
  open(path: readonly string[]): Place | undefined {
    if (this.containerAt(path) === undefined) {
      return undefined;
    }
    // True: containerAt found every key.
    return path.reduce((place, segment) => this.enter(place, keyIn(place.container, segment) as string), this.root());
  }

  /** The whole document for writing. */
  root(): Place {
    this.#root = this.#own(this.#root);
    return { container: this.#root, level: 0 };
  }

  /** The container under this key for writing. */
  enter({ container, level }: Place, key: string): Place {
    const child = this.#own(valueIn(container, key) as Container); // True: callers have looked.
    write(container, key, child);
    return { container: child, level: level + 1 };
  }

  replaceRoot(value: unknown): void {
    if (!isJsonObject(value)) {
      throw new PatchError('the whole template can be replaced by an object only');
    }
    this.#size = this.#accept(value, 0);
    this.#checkSize();
    this.#root = value; // It is copied before anything is written into it.
  }

  /** Sets the member, or the existing item, in place of what is there. */
  set({ container, level }: Place, key: string, value: unknown): void {
    const before = Object.hasOwn(container, key) ? this.#sizeAt(container, key) : 0;
    const frame = Array.isArray(container) ? itemSize : memberSize(key);
    this.#size += this.#accept(value, level + 1) + frame - before;
    this.#checkSize();
    write(container, key, value);
  }

  insert({ container, level }: Place & { readonly container: unknown[] }, index: number, value: unknown): void {
    this.#size += this.#accept(value, level + 1) + itemSize;
    this.#checkSize();
    container.splice(index, 0, value);
  }

  /** The key must be there. */
  remove({ container }: Place, key: string): void {
    this.#size -= this.#sizeAt(container, key);
    if (Array.isArray(container)) {
      container.splice(Number(key), 1);
    } else {
      delete container[key];
    }
  }

  /** A value to be inserted somewhere else, which shares nothing with the document. */
  copyOf(value: unknown): unknown {
    this.#budget.make(measure(value, this.#budget).size);
    return cloneJson(value);
  }

  /** What the value adds to the document, and its frame. */
  #sizeAt(container: Container, key: string): number {
    const frame = Array.isArray(container) ? itemSize : memberSize(key);
    const value = valueIn(container, key);
    return frame + (this.#knownSize(value) ?? measure(value, this.#budget).size);
  }

  #knownSize(value: unknown): number | undefined {
    return isContainer(value) && !this.#owned.has(value) ? this.#budget.known.get(value)?.size : undefined;
  }

  #accept(value: unknown, level: number): number {
    const { size, depth } = this.#measured(value);
    if (level + depth > this.#budget.limits.depth) {
      throw beyond(`nested more than ${this.#budget.limits.depth} levels deep`);
    }
    return size;
  }

  #measured(value: unknown): Measured {
    if (!isContainer(value) || this.#owned.has(value)) {
      return measure(value, this.#budget);
    }
    const measured = this.#budget.known.get(value) ?? measure(value, this.#budget);
    this.#budget.known.set(value, measured);
    return measured;
  }

  #checkSize(): void {
    const { templateSize } = this.#budget.limits;
    if (this.#size > templateSize) {
      throw beyond(`the patched template has more than ${templateSize} characters`);
    }
  }

  #own<T extends Container>(value: T): T {
    if (this.#owned.has(value)) {
      return value;
    }
    const members = Object.keys(value).length;
    this.#budget.spend(members);
    this.#budget.make(members * bytesPerMember);
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as T; // True: a list of a list, an object of an object.
    this.#owned.add(copy);
    return copy;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** The key under which the segment of a pointer finds something; undefined where there is nothing. */
export function keyIn(container: Container, segment: string): string | undefined {
  if (!Array.isArray(container)) {
    return Object.hasOwn(container, segment) ? segment : undefined;
  }
  const index = toIndex(segment, container.length);
  return index === undefined || index >= container.length ? undefined : String(index);
}

/** A negative index counts from `end`. Undefined for what is no index, or before the first. */
export function toIndex(segment: string, end: number): number | undefined {
  const index = /^(?:0|-?[1-9][0-9]*)$/.test(segment) ? Number(segment) : Number.NaN;
  const counted = index < 0 ? index + end : index;
  return counted >= 0 ? counted : undefined;
}

export function valueIn(container: Container, key: string): unknown {
  return Array.isArray(container) ? container[Number(key)] : container[key];
}

/** An own member, whatever it is called. */
function write(container: Container, key: string, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}
