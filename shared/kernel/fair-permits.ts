// A number of permits that several owners share. If all are taken, the owners' turns alternate.
import { FairQueue } from './fair-queue.ts';

export class FairPermits {
  #free: number;
  readonly #waiting = new FairQueue<(isFree: boolean) => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a permit if one is free now. While one is free, no owner waits. */
  tryAcquire(): boolean {
    const isFree = this.#free > 0;
    this.#free -= Number(isFree);
    return isFree;
  }

  /** Waits for a permit. Returns false if `signal` aborts before. Each permit must be released once. */
  async acquire(owner: string, signal: AbortSignal): Promise<boolean> {
    if (this.tryAcquire()) {
      return true;
    }
    if (signal.aborted) {
      return false;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onAbort = (): void => {
      // A permit that was passed on at the moment of the abort is kept.
      if (this.#waiting.delete(resolve)) {
        resolve(false);
      }
    };
    this.#waiting.add(owner, resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    const isFree = await promise;
    signal.removeEventListener('abort', onAbort);
    return isFree;
  }

  release(): void {
    const next = this.#waiting.next();
    if (next === undefined) {
      this.#free += 1;
    } else {
      next(true);
    }
  }
}
