// Decides when the first and the later changes of one object become messages. A state machine without clock or I/O:
// every call is told the time, so that a simulator can drive it.
import type { Instant } from '../../shared/api/object.ts';
import { type Arrival, type Bundle, mergeBundles, toBundle } from '../../shared/event-source/bundle.ts';
import { type GapBounds, growingGapMs } from './growing-gap.ts';

export interface DebounceSettings {
  /** After a message, later arrivals of its key wait this long and become one message. */
  readonly windowMs: number;
  /** How long nothing is handed out after nothing was accepted. */
  readonly outage: GapBounds;
}

interface Window<Target> {
  readonly ends: Instant;
  readonly waiting: Bundle<Target> | undefined;
}

/**
 * The first arrival of a quiet key is ready at once and opens its window; what arrives within the window becomes ready at
 * its end, as one bundle, and opens the next. Holds at most one bundle per key, however long the queue is out of reach.
 */
export class Debouncer<Target> {
  readonly #settings: DebounceSettings;
  readonly #ready = new Map<string, Bundle<Target>>();
  /** In the order of their ends, because each new window is put last and all have one length. */
  readonly #windows = new Map<string, Window<Target>>();
  #waiting = 0;
  #outages = 0;
  #closedUntil: Instant = 0;

  constructor(settings: DebounceSettings) {
    this.#settings = settings;
  }

  /** How many keys have something that was not handed out yet. */
  get pending(): number {
    return this.#ready.size + this.#waiting;
  }

  offer(arrival: Arrival<Target>): void {
    this.#add(toBundle(arrival));
  }

  /** At most `most` bundles that are due. Each opens a window; each must come back by `accepted` or `giveBack`. */
  take(now: Instant, most: number): readonly Bundle<Target>[] {
    this.#endWindows(now);
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
      this.#openWindow(key, now);
    }
    return taken;
  }

  /** The queue takes messages: whatever is due may follow. Returns when what it gave back is due, in ms. */
  accepted(): number {
    this.#outages = 0;
    this.#closedUntil = 0;
    return this.#settings.windowMs;
  }

  /** The queue refused these: they merge with what arrived since and are due again when their window ends. */
  giveBack(bundles: readonly Bundle<Target>[], now: Instant): void {
    for (const bundle of bundles) {
      const since = this.#ready.get(bundle.key);
      this.#ready.delete(bundle.key);
      this.#openWindow(bundle.key, now);
      this.#add(since === undefined ? bundle : mergeBundles(bundle, since));
    }
  }

  /** The queue took nothing at all: nothing is handed out for a gap that grows each time. Returns the gap in ms. */
  outage(now: Instant): number {
    this.#outages += 1;
    const gap = growingGapMs(this.#outages, this.#settings.outage);
    this.#closedUntil = now + gap;
    return gap;
  }

  /** Ends all windows, so that everything pending is due: for a graceful stop. */
  endAllWindows(): void {
    for (const key of [...this.#windows.keys()]) {
      this.#endWindow(key);
    }
  }

  /** When `take` should be called next; undefined while there is nothing to wait for. */
  nextWakeUp(now: Instant): Instant | undefined {
    if (this.#ready.size > 0) {
      return this.#isClosed(now) ? this.#closedUntil : now;
    }
    const [first] = this.#windows.values();
    return first?.ends;
  }

  #add(bundle: Bundle<Target>): void {
    const { key } = bundle;
    const window = this.#windows.get(key);
    if (window === undefined) {
      this.#ready.set(key, mergeBundles(this.#ready.get(key), bundle));
      return;
    }
    this.#waiting += window.waiting === undefined ? 1 : 0;
    this.#windows.set(key, { ends: window.ends, waiting: mergeBundles(window.waiting, bundle) });
  }

  #openWindow(key: string, now: Instant): void {
    const waiting = this.#windows.get(key)?.waiting;
    this.#windows.delete(key);
    this.#windows.set(key, { ends: now + this.#settings.windowMs, waiting });
  }

  #endWindows(now: Instant): void {
    for (const [key, window] of this.#windows) {
      if (!hasCome(window.ends, now, this.#settings.windowMs)) {
        return;
      }
      this.#endWindow(key);
    }
  }

  #endWindow(key: string): void {
    const waiting = this.#windows.get(key)?.waiting;
    this.#windows.delete(key);
    if (waiting !== undefined) {
      this.#waiting -= 1;
      this.#add(waiting);
    }
  }

  #isClosed(now: Instant): boolean {
    return !hasCome(this.#closedUntil, now, this.#settings.outage.longestMs);
  }
}

/** A time further ahead than it was ever set says that the clock was turned back: it counts as come. */
function hasCome(time: Instant, now: Instant, longestMs: number): boolean {
  return time <= now || time > now + longestMs;
}
