// A priority queue with one deadline per key, earliest first. It is a binary heap. Superseded deadlines stay in the
// heap until they are at the top.
import type { Instant } from '@capi-serverless/apimachinery';

interface Entry {
  readonly key: string;
  readonly at: Instant;
}

export class Deadlines {
  readonly #heap: Entry[] = [];
  readonly #times = new Map<string, Instant>();

  set(key: string, at: Instant): void {
    this.#times.set(key, at);
    this.#heap.push({ key, at });
    this.#rise(this.#heap.length - 1);
  }

  get(key: string): Instant | undefined {
    return this.#times.get(key);
  }

  /** Returns the earliest deadline, or undefined if there is none. */
  next(): Instant | undefined {
    this.#dropMoved();
    return this.#heap[0]?.at;
  }

  /** Removes and returns the key with the earliest deadline, if this deadline has passed. */
  takeDue(now: Instant): string | undefined {
    this.#dropMoved();
    const [first] = this.#heap;
    if (first === undefined || first.at > now) {
      return undefined;
    }
    this.#times.delete(first.key);
    this.#removeFirst();
    return first.key;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#times.clear();
  }

  #dropMoved(): void {
    for (
      let [first] = this.#heap;
      first !== undefined && this.#times.get(first.key) !== first.at;
      [first] = this.#heap
    ) {
      this.#removeFirst();
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
  }

  #rise(from: number): void {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) {
        return;
      }
      index = parent;
    }
  }

  #sink(): void {
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const child = this.#at(right) < this.#at(left) ? right : left;
      if (!this.#swapIfEarlier(child, index)) {
        return;
      }
      index = child;
    }
  }

  #at(index: number): Instant {
    return this.#heap[index]?.at ?? Number.POSITIVE_INFINITY;
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    const [a, b] = [this.#heap[lower], this.#heap[upper]];
    if (a === undefined || b === undefined || a.at >= b.at) {
      return false;
    }
    this.#heap[upper] = a;
    this.#heap[lower] = b;
    return true;
  }
}
