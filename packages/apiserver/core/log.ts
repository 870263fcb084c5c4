// The history of one resource. Watches read it, and earlier snapshots are computed from it.
import type { Instant } from '@capi-serverless/apimachinery';
import type { Stored } from './object.ts';
import { expired } from './status.ts';

export interface LoggedChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  /** The object after the change. For DELETED, the last state with the resourceVersion of the deletion. */
  readonly object: Stored;
  readonly previous: Stored | undefined;
  readonly at: Instant;
}

/**
 * The size of the history of each resource. It has at least `changes` changes and the changes of the last `ms`
 * milliseconds, but never more than `most`.
 */
export interface HistoryWindow {
  readonly changes: number;
  readonly ms: number;
  readonly most: number;
}

/** The history is trimmed in blocks, so that the cost of one write is constant. */
const trimBlock = 256;

export class ChangeLog {
  #changes: LoggedChange[] = [];
  /** The sequence number of the first kept change. */
  #first = 0;
  /** Changes up to this version may have been dropped. */
  #floor: number;
  /** Increases when all readers of this log must restart. */
  #epoch = 0;

  /** The log has no history up to `version`. */
  constructor(version: number) {
    this.#floor = version;
  }

  add(change: LoggedChange, window: HistoryWindow): void {
    this.#changes.push(change);
    this.#trim(window, change.at);
  }

  /** Returns the changes after this version, latest first. Throws Expired if some may have been dropped. */
  newestFirst(version: number): readonly LoggedChange[] {
    this.#checkReach(version);
    return this.#changes.slice(this.#indexAfter(version)).reverse();
  }

  /** Returns a reader from this version. Throws Expired if later changes may have been dropped. */
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

  /** The sequence number of the next change. */
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

  #trim(window: HistoryWindow, now: Instant): void {
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
  /** Returns the next change, `idle` if there is none yet, or `ended` if unread history was dropped. */
  next(): LoggedChange | 'idle' | 'ended';
  /** The number of unread changes, including dropped ones. */
  unread(): number;
}
