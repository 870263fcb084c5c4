// Debounces the changes of one object: decides when they become messages. A state machine without clock or I/O. Callers
// pass the time, so that a simulator can control it.
import type { Instant } from '@capi-serverless/apimachinery';
import { type Arrival, type ChangeBundle, mergeBundles, toBundle } from '../../shared/event-source/bundle.ts';
import { Deadlines } from './deadlines.ts';
import { type GapBounds, growingGapMs } from './growing-gap.ts';

export interface DebounceSettings<Target> {
  /** The minimum time between two messages of a key with this target. Default: `windowMs`. */
  readonly windowOf?: (target: Target) => number | undefined;
  /** The minimum time between two messages of a key, and the maximum time that a change is delayed. */
  readonly windowMs: number;
  /**
   * A later change waits until no other change has arrived for this time. Several writes of one client then produce one
   * message.
   */
  readonly settleMs: number;
  /** A key is busy for this time after its last message. If a key is not busy, its first change is sent immediately. */
  readonly busyMs: number;
  /** The pause of sending after the queue accepted no message. */
  readonly outage: GapBounds;
}

/** A key with a recent message. */
interface Busy<Target> {
  readonly sentAt: Instant;
  readonly windowMs: number;
  /** The changes since the last message. */
  readonly waiting: Waiting<Target> | undefined;
}

interface Waiting<Target> {
  readonly bundle: ChangeBundle<Target>;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/**
 * The first change of a key that is not busy is due immediately. Later changes are merged according to the settings
 * (docs/decisions/0006). Stores at most one bundle per key, even during a long outage of the queue.
 */
export class Debouncer<Target> {
  readonly #settings: DebounceSettings<Target>;
  readonly #ready = new Map<string, ChangeBundle<Target>>();
  readonly #busy = new Map<string, Busy<Target>>();
  /** The next check time of each busy key. */
  readonly #deadlines = new Deadlines();
  #waiting = 0;
  #outages = 0;
  #closedUntil: Instant = 0;
  #latest: Instant = Number.NEGATIVE_INFINITY;

  constructor(settings: DebounceSettings<Target>) {
    this.#settings = settings;
  }

  /** The number of keys with unsent changes. */
  get pending(): number {
    return this.#ready.size + this.#waiting;
  }

  /** The number of keys in memory: those with unsent changes, and those with a message in the last `busyMs` or window. */
  get size(): number {
    return this.#ready.size + this.#busy.size;
  }

  offer(arrival: Arrival<Target>, now: Instant): void {
    this.#add(toBundle(arrival), now);
  }

  /**
   * Returns up to `most` due bundles and marks their keys busy. The caller reports each bundle with `accepted` or
   * `giveBack`.
   */
  take(now: Instant, most: number): readonly ChangeBundle<Target>[] {
    this.#passTime(now);
    if (this.#isClosed(now)) {
      return [];
    }
    const taken: ChangeBundle<Target>[] = [];
    for (const [key, bundle] of this.#ready) {
      if (taken.length === most) {
        break;
      }
      taken.push(bundle);
      this.#ready.delete(key);
      const { windowMs, windowOf } = this.#settings;
      this.#put(key, { sentAt: now, windowMs: windowOf?.(bundle.target) ?? windowMs, waiting: undefined });
    }
    return taken;
  }

  /** The queue accepts messages again, so sending resumes. Returns the milliseconds until returned bundles are due. */
  accepted(): number {
    this.#outages = 0;
    this.#closedUntil = 0;
    return this.#settings.windowMs;
  }

  /** The queue refused these bundles. They are merged with newer changes and are due again after one window. */
  giveBack(bundles: readonly ChangeBundle<Target>[], now: Instant): void {
    for (const refused of bundles) {
      const { key } = refused;
      const since = this.#ready.get(key) ?? this.#busy.get(key)?.waiting?.bundle;
      this.#ready.delete(key);
      const bundle = since === undefined ? refused : mergeBundles(refused, since);
      const { windowMs } = this.#settings;
      this.#put(key, { sentAt: now, windowMs, waiting: { bundle, firstAt: now, lastAt: now } });
    }
  }

  /**
   * The queue accepted no message. Sending pauses for an interval that grows each time. Returns the interval in
   * milliseconds.
   */
  outage(now: Instant): number {
    this.#outages += 1;
    const gap = growingGapMs(this.#outages, this.#settings.outage);
    this.#closedUntil = now + gap;
    return gap;
  }

  /** Makes all unsent changes due and ends the busy time of all keys, for a graceful stop. */
  endAllWindows(): void {
    for (const [key, { waiting }] of this.#busy) {
      if (waiting !== undefined) {
        this.#ready.set(key, waiting.bundle);
      }
    }
    this.#busy.clear();
    this.#deadlines.clear();
    this.#waiting = 0;
  }

  /** Returns the time at which `take` should be called next, or undefined if nothing is pending. */
  nextDueAt(now: Instant): Instant | undefined {
    if (this.#ready.size > 0) {
      return this.#isClosed(now) ? this.#closedUntil : now;
    }
    return this.#deadlines.next();
  }

  #add(bundle: ChangeBundle<Target>, now: Instant): void {
    const { key } = bundle;
    const busy = this.#busy.get(key);
    if (busy === undefined) {
      this.#ready.set(key, mergeBundles(this.#ready.get(key), bundle));
      return;
    }
    const { waiting } = busy;
    const merged = mergeBundles(waiting?.bundle, bundle);
    this.#put(key, { ...busy, waiting: { bundle: merged, firstAt: waiting?.firstAt ?? now, lastAt: now } });
  }

  #put(key: string, busy: Busy<Target>): void {
    const had = this.#busy.get(key)?.waiting === undefined ? 0 : 1;
    this.#waiting += (busy.waiting === undefined ? 0 : 1) - had;
    this.#busy.set(key, busy);
    const dueAt = this.#dueAt(busy);
    const lookAt = this.#deadlines.get(key);
    // A later deadline is set only when the current one passes. Otherwise each change of a busy key would move the
    // deadline.
    if (lookAt === undefined || dueAt < lookAt) {
      this.#deadlines.set(key, dueAt);
    }
  }

  /**
   * Returns the time when the unsent change is due. Without an unsent change, returns the time when the key stops being
   * busy.
   */
  #dueAt({ sentAt, windowMs, waiting }: Busy<Target>): Instant {
    const { settleMs, busyMs } = this.#settings;
    return waiting === undefined
      ? sentAt + Math.max(busyMs, windowMs)
      : Math.max(sentAt + windowMs, Math.min(waiting.firstAt + windowMs, waiting.lastAt + settleMs));
  }

  #passTime(now: Instant): void {
    // If the clock was set back, earlier deadlines are too far in the future.
    if (now < this.#latest) {
      this.endAllWindows();
    }
    this.#latest = now;
    for (let key = this.#deadlines.takeDue(now); key !== undefined; key = this.#deadlines.takeDue(now)) {
      const busy = this.#busy.get(key);
      const dueAt = busy === undefined ? now : this.#dueAt(busy);
      if (dueAt > now) {
        this.#deadlines.set(key, dueAt);
      } else {
        this.#settle(key, busy?.waiting?.bundle);
      }
    }
  }

  #settle(key: string, bundle: ChangeBundle<Target> | undefined): void {
    this.#busy.delete(key);
    if (bundle !== undefined) {
      this.#waiting -= 1;
      this.#ready.set(key, bundle);
    }
  }

  #isClosed(now: Instant): boolean {
    const { longestMs } = this.#settings.outage;
    // If the clock was set back, an earlier pause is too far in the future.
    return this.#closedUntil > now && this.#closedUntil <= now + longestMs;
  }
}
