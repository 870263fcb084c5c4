// Decides when the first and the later changes of one object become messages. A state machine without clock or I/O:
// every call is told the time, so that a simulator can drive it.
import type { Instant } from '../../shared/api/object.ts';
import { type Arrival, type Bundle, mergeBundles, toBundle } from '../../shared/event-source/bundle.ts';
import { Deadlines } from './deadlines.ts';
import { type GapBounds, growingGapMs } from './growing-gap.ts';

export interface DebounceSettings {
  /** Between two messages of a key lies at least this much; so long, too, does a change wait at most for silence. */
  readonly windowMs: number;
  /** What arrives after the window waits until nothing more came for this long: several writes of one author are one change. */
  readonly settleMs: number;
  /** So long after its last message a key counts as busy; only a quiet key's first change is not held back. */
  readonly busyMs: number;
  /** How long nothing is handed out after nothing was accepted. */
  readonly outage: GapBounds;
}

/** A key that was told of lately. */
interface Busy<Target> {
  readonly toldAt: Instant;
  /** What arrived since. */
  readonly waiting: Waiting<Target> | undefined;
}

interface Waiting<Target> {
  readonly bundle: Bundle<Target>;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/**
 * The first arrival of a quiet key is ready at once; what follows is bundled as the settings say (docs/decisions/0006).
 * Holds at most one bundle per key, however long the queue is out of reach.
 */
export class Debouncer<Target> {
  readonly #settings: DebounceSettings;
  readonly #ready = new Map<string, Bundle<Target>>();
  readonly #busy = new Map<string, Busy<Target>>();
  /** When to look at each busy key again. */
  readonly #deadlines = new Deadlines();
  #waiting = 0;
  #outages = 0;
  #closedUntil: Instant = 0;
  #latest: Instant = Number.NEGATIVE_INFINITY;

  constructor(settings: DebounceSettings) {
    this.#settings = settings;
  }

  /** How many keys have something that was not handed out yet. */
  get pending(): number {
    return this.#ready.size + this.#waiting;
  }

  /** How many keys are remembered: those pending, and those told of in the last `busyMs`. */
  get size(): number {
    return this.#ready.size + this.#busy.size;
  }

  offer(arrival: Arrival<Target>, now: Instant): void {
    this.#add(toBundle(arrival), now);
  }

  /** At most `most` bundles that are due. Each makes its key busy; each must come back by `accepted` or `giveBack`. */
  take(now: Instant, most: number): readonly Bundle<Target>[] {
    this.#passTime(now);
    if (this.#isClosed(now)) {
      return [];
    }
    const taken: Bundle<Target>[] = [];
    for (const [key, bundle] of this.#ready) {
      if (taken.length === most) {
        break;
      }
      taken.push(bundle);
      this.#ready.delete(key);
      this.#put(key, { toldAt: now, waiting: undefined });
    }
    return taken;
  }

  /** The queue takes messages: whatever is due may follow. Returns when what it gave back is due, in ms. */
  accepted(): number {
    this.#outages = 0;
    this.#closedUntil = 0;
    return this.#settings.windowMs;
  }

  /** The queue refused these: they merge with what arrived since and are due again after one window. */
  giveBack(bundles: readonly Bundle<Target>[], now: Instant): void {
    for (const refused of bundles) {
      const { key } = refused;
      const since = this.#ready.get(key) ?? this.#busy.get(key)?.waiting?.bundle;
      this.#ready.delete(key);
      const bundle = since === undefined ? refused : mergeBundles(refused, since);
      this.#put(key, { toldAt: now, waiting: { bundle, firstAt: now, lastAt: now } });
    }
  }

  /** The queue took nothing at all: nothing is handed out for a gap that grows each time. Returns the gap in ms. */
  outage(now: Instant): number {
    this.#outages += 1;
    const gap = growingGapMs(this.#outages, this.#settings.outage);
    this.#closedUntil = now + gap;
    return gap;
  }

  /** Makes everything pending due, and every key quiet: for a graceful stop. */
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

  /** When `take` should be called next; undefined while there is nothing to wait for. */
  nextWakeUp(now: Instant): Instant | undefined {
    if (this.#ready.size > 0) {
      return this.#isClosed(now) ? this.#closedUntil : now;
    }
    return this.#deadlines.next();
  }

  #add(bundle: Bundle<Target>, now: Instant): void {
    const { key } = bundle;
    const busy = this.#busy.get(key);
    if (busy === undefined) {
      this.#ready.set(key, mergeBundles(this.#ready.get(key), bundle));
      return;
    }
    const { toldAt, waiting } = busy;
    const merged = mergeBundles(waiting?.bundle, bundle);
    this.#put(key, { toldAt, waiting: { bundle: merged, firstAt: waiting?.firstAt ?? now, lastAt: now } });
  }

  #put(key: string, busy: Busy<Target>): void {
    const had = this.#busy.get(key)?.waiting === undefined ? 0 : 1;
    this.#waiting += (busy.waiting === undefined ? 0 : 1) - had;
    this.#busy.set(key, busy);
    const dueAt = this.#dueAt(busy);
    const lookAt = this.#deadlines.get(key);
    // A deadline that moved later is moved when it comes up: a busy key would move it with each change.
    if (lookAt === undefined || dueAt < lookAt) {
      this.#deadlines.set(key, dueAt);
    }
  }

  /** When what waits is told; without anything, when the key is quiet. */
  #dueAt({ toldAt, waiting }: Busy<Target>): Instant {
    const { windowMs, settleMs, busyMs } = this.#settings;
    return waiting === undefined
      ? toldAt + busyMs
      : Math.max(toldAt + windowMs, Math.min(waiting.firstAt + windowMs, waiting.lastAt + settleMs));
  }

  #passTime(now: Instant): void {
    // Times that were set before the clock was turned back lie too far ahead.
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

  #settle(key: string, bundle: Bundle<Target> | undefined): void {
    this.#busy.delete(key);
    if (bundle !== undefined) {
      this.#waiting -= 1;
      this.#ready.set(key, bundle);
    }
  }

  #isClosed(now: Instant): boolean {
    const { longestMs } = this.#settings.outage;
    // A time further ahead than it was ever set: the clock was turned back.
    return this.#closedUntil > now && this.#closedUntil <= now + longestMs;
  }
}
