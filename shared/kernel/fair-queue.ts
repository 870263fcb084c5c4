// What several namespaces want of something that is limited for all of them: places, sockets. Their turns alternate, so
// that one namespace with many entries delays the others by one turn. Pure.

interface QueueLimits {
  /** The maximum number of entries. Default: no maximum. */
  readonly most?: number;
  /** The maximum number of entries of one owner. Default: no maximum. */
  readonly mostOfOwner?: number;
}

interface Turn<T> {
  readonly owner: string;
  /** In the order in which they were added. Not empty. */
  readonly entries: Set<T>;
}

/** Entries in turns of their owners. Entries of one owner keep their order. */
export class FairQueue<T> {
  readonly #limits: Required<QueueLimits>;
  readonly #turnOf = new Map<T, Turn<T>>();
  /** By owner, in the order of the next turns. */
  readonly #turns = new Map<string, Turn<T>>();

  constructor({ most = Number.POSITIVE_INFINITY, mostOfOwner = Number.POSITIVE_INFINITY }: QueueLimits = {}) {
    this.#limits = { most, mostOfOwner };
  }

  get size(): number {
    return this.#turnOf.size;
  }

  has(entry: T): boolean {
    return this.#turnOf.has(entry);
  }

  /**
   * Adds an entry that the queue does not have. Beyond a maximum, drops and returns the last entry of the owner that has
   * most of them. That may be the new one.
   */
  add(owner: string, entry: T): T | undefined {
    const turn = this.#turns.get(owner) ?? { owner, entries: new Set() };
    turn.entries.add(entry);
    this.#turns.set(owner, turn);
    this.#turnOf.set(entry, turn);
    const isBeyondOwn = turn.entries.size > this.#limits.mostOfOwner;
    if (!isBeyondOwn && this.size <= this.#limits.most) {
      return undefined;
    }
    const { entries } = isBeyondOwn ? turn : this.#largest(turn);
    const dropped = [...entries].at(-1) as T; // true: a turn is not empty
    this.delete(dropped);
    return dropped;
  }

  /** Returns whether the queue had the entry. */
  delete(entry: T): boolean {
    const turn = this.#turnOf.get(entry);
    if (turn === undefined) {
      return false;
    }
    this.#turnOf.delete(entry);
    turn.entries.delete(entry);
    if (turn.entries.size === 0) {
      this.#turns.delete(turn.owner);
    }
    return true;
  }

  /** Removes and returns the first entry of the owner whose turn it is. */
  next(): T | undefined {
    const [turn] = this.#turns.values();
    if (turn === undefined) {
      return undefined;
    }
    // The owner's next turn is after those of all others.
    this.#turns.delete(turn.owner);
    this.#turns.set(turn.owner, turn);
    const [entry] = turn.entries;
    this.delete(entry as T); // true: a turn is not empty
    return entry;
  }

  /** Removes all entries and returns them in turns. */
  drain(): readonly T[] {
    return Array.from({ length: this.size }, () => this.next() as T); // true: there are that many
  }

  /** With equal numbers, the new entry is dropped. */
  #largest(own: Turn<T>): Turn<T> {
    let largest = own;
    for (const turn of this.#turns.values()) {
      largest = turn.entries.size > largest.entries.size ? turn : largest;
    }
    return largest;
  }
}
