// The history of one resource: what watches read, and what earlier snapshots are rebuilt from.
import type { Instant } from '../../../../shared/api/object.ts';
import type { Stored } from './object.ts';
import { expired } from './status.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** After the change; for DELETED the last state under the resourceVersion of the deletion. */
  readonly object: Stored;
  readonly previous: Stored | undefined;
  readonly at: Instant;
}

/**
 * How much history every resource keeps: at least so many changes, and those of so many milliseconds, but never more
 * than `most`, however fast they come.
 */
export interface Window {
  readonly changes: number;
  readonly ms: number;
  readonly most: number;
}

/** Dropping in blocks keeps the cost of one write constant. */
const trimBlock = 256;

export class Log {
  #changes: Change[] = [];
  /** Sequence number of the first kept change. */
  #first = 0;
  /** Changes up to this version may be gone. */
  #floor: number;
  /** Rises when everyone who reads this log must start anew. */
  #epoch = 0;

  /** Nothing is known of what happened up to `version`. */
  constructor(version: number) {
    this.#floor = version;
  }

  add(change: Change, window: Window): void {
    this.#changes.push(change);
    this.#trim(window, change.at);
  }

  /** What came after this version, latest first. Throws Expired when some of it may be gone. */
  newestFirst(version: number): readonly Change[] {
    this.#checkReach(version);
    return this.#changes.slice(this.#indexAfter(version)).reverse();
  }

  /** Reads on from this version. Throws Expired when changes after it may be gone. */
  readFrom(version: number): Position {
    this.#checkReach(version);
    let next = this.#first + this.#indexAfter(version);
    const began = this.#end();
    const epoch = this.#epoch;
    return {
      next: () => {
        const change = next < this.#first ? undefined : this.#changes[next - this.#first];
        if (change === undefined) {
          return epoch === this.#epoch && next >= this.#first ? 'idle' : 'ended';
        }
        next += 1;
        return change;
      },
      unread: () => this.#end() - Math.max(next, began),
    };
  }

  /** Forgets everything up to `version`, the last that was given out; readers that are up to date go on. */
  forget(version: number): void {
    this.#first += this.#changes.length;
    this.#changes = [];
    this.#floor = version;
  }

  /** Readers end once they have read what is there. */
  endReaders(): void {
    this.#epoch += 1;
  }

  /** Sequence number of the change to come. */
  #end(): number {
    return this.#first + this.#changes.length;
  }

  #indexAfter(version: number): number {
    return this.#changes.findLastIndex(change => change.version <= version) + 1;
  }

  #checkReach(version: number): void {
    if (version < this.#floor) {
      throw expired(`too old resource version: ${version} (${this.#floor})`);
    }
  }

  #trim(window: Window, now: Instant): void {
    const surplus = this.#changes.length - window.changes;
    if (surplus < trimBlock) {
      return;
    }
    const young = this.#changes.findIndex(change => change.at > now - window.ms);
    const old = Math.min(surplus, young < 0 ? surplus : young);
    const excess = this.#changes.length - window.most;
    const dropped = this.#changes.splice(0, Math.max(old, excess < trimBlock ? 0 : excess));
    this.#first += dropped.length;
    this.#floor = dropped.at(-1)?.version ?? this.#floor;
  }
}

/** A place in a log. It ends when history it has not read yet is dropped. */
export interface Position {
  /** The next change, `idle` when there is none yet, or `ended` when it cannot be told any more. */
  next(): Change | 'idle' | 'ended';
  /** How many changes that came since reading began wait to be read, those that were dropped included. */
  unread(): number;
}
