// The objects of one kind in one namespace, by name.
import { compareText } from '@capi-serverless/apimachinery';
import type { Stored } from './object.ts';

/** Sorts only after an addition. Most writes replace an object, and lists are much more frequent than additions. */
export class NamedObjects {
  /** In the order of names if `#isSorted`. A replaced object keeps its position. */
  #objects = new Map<string, Stored>();
  #isSorted = true;

  get size(): number {
    return this.#objects.size;
  }

  get(name: string): Stored | undefined {
    return this.#objects.get(name);
  }

  set(name: string, object: Stored): this {
    this.#isSorted &&= this.#objects.has(name);
    this.#objects.set(name, object);
    return this;
  }

  delete(name: string): void {
    this.#objects.delete(name);
  }

  /** Returns the objects in the byte order of their names. Valid names are ASCII, so code units have this order. */
  sorted(): readonly Stored[] {
    if (!this.#isSorted) {
      this.#objects = new Map([...this.#objects].sort(([left], [right]) => compareText(left, right)));
      this.#isSorted = true;
    }
    return [...this.#objects.values()];
  }
}
