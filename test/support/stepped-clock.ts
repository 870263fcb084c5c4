// A clock that only tests advance. Sleepers resume in the order of their times, one at a time.

import type { Clock, Instant } from '@capi-serverless/apimachinery';

interface Sleeper {
  readonly due: Instant;
  readonly wake: () => void;
}

/** The maximum number of sleepers that resume in one `advance`. It ends an endless loop that sleeps 0 ms. */
const mostWakeUps = 100_000;

export class SteppedClock implements Clock {
  #now: Instant;
  readonly #sleepers = new Set<Sleeper>();

  constructor(start: Instant = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  /** The number of sleepers. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const sleeper: Sleeper = {
        due: this.#now + Math.max(0, ms),
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Advances time by `ms` and resumes due sleepers. Waits until their work sleeps again. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await settled();
    for (let wakeUps = 0; wakeUps < mostWakeUps; wakeUps += 1) {
      const next = this.#nextDueBy(target);
      if (next === undefined) {
        this.#now = target;
        return;
      }
      this.#now = Math.max(this.#now, next.due);
      next.wake();
      await settled();
    }
    throw new Error(`Time does not get past ${new Date(this.#now).toISOString()}: ${mostWakeUps} sleepers woke`);
  }

  #nextDueBy(target: Instant): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.due <= target && (next === undefined || sleeper.due < next.due)) {
        next = sleeper;
      }
    }
    return next;
  }
}

/** Resolves when no promise can proceed without time or I/O. */
export function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
