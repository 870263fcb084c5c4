// The history of one resource. Watches read it, and earlier snapshots are rebuilt from it.
import type { Instant } from '@capi-serverless/apimachinery';
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
 * How much history each resource keeps: at least `changes` changes and the changes of the last `ms` milliseconds, but
 * never more than `most`.
 */
export interface Window {
  readonly changes: number;
  readonly ms: number;
  readonly most: number;
}

/** Trimming in blocks keeps the cost of one write constant. */
const trimBlock = 256;

export class Log {
  #changes: Change[] = [];
  /** Sequence number of the first kept change. */
  #first = 0;
  /** Changes up to this version may be dropped. */
  #floor: number;
  /** Increases when all readers of this log must restart. */
  #epoch = 0;

  /** The log has no history up to `version`. */
  constructor(version: number) {
    this.#floor = version;
  }

  add(change: Change, window: Window): void {
    this.#changes.push(change);
    this.#trim(window, change.at);
  }

  /** Changes after this version, latest first. Throws Expired when some may be dropped. */
  newestFirst(version: number): readonly Change[] {
    this.#checkReach(version);
    return this.#changes.slice(this.#indexAfter(version)).reverse();
  }

  /** A reader from this version. Throws Expired when later changes may be dropped. */
  readFrom(version: number): LogPosition {
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

  /** Drops the history up to `version`, the last assigned one. Readers that are up to date continue. */
  forget(version: number): void {
    this.#first += this.#changes.length;
    this.#changes = [];
    this.#floor = version;
  }

  /** Ends all readers after their last available change. */
  endReaders(): void {
    this.#epoch += 1;
  }

  /** Sequence number of the next change. */
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

/** A position in a log. It ends when unread history is dropped. */
export interface LogPosition {
  /** The next change, `idle` when there is none yet, or `ended` when unread history was dropped. */
  next(): Change | 'idle' | 'ended';
  /** The number of unread changes, including dropped ones. */
  unread(): number;
}
