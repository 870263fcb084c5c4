// Limits the concurrent requests to one workload cluster. Slow requests must not look like a lost connection to others.
import { type Answer, type Clock, refused } from '@capi-serverless/apimachinery';
import { unlessAborted } from './unless-aborted.ts';

/** The time limit of a request, after which it frees its slot. */
const waitMs = 10_000;

interface SlottedRequest<T> {
  /** The name of the request in messages. */
  readonly label: string;
  readonly signal: AbortSignal;
  readonly send: () => Promise<Answer<T>>;
}

export class RequestSlots {
  readonly #clock: Pick<Clock, 'sleep'>;
  #free: number;
  /** In the order of their requests. */
  readonly #waiting = new Set<(isFree: true) => void>();

  constructor(count: number, clock: Pick<Clock, 'sleep'>) {
    this.#free = count;
    this.#clock = clock;
  }

  /** Sends the request when a slot is free. After 10 s without one, fails with TooManyRequests. */
  async send<T>({ label, signal, send }: SlottedRequest<T>): Promise<Answer<T>> {
    if (this.#free > 0) {
      this.#free -= 1;
    } else if (!(await this.#wait(signal))) {
      return refused(
        signal.aborted
          ? { reason: 'Aborted', message: `${label}: aborted before it was sent` }
          : { reason: 'TooManyRequests', message: `${label}: no free connection within ${waitMs / 1000} s` },
      );
    }
    try {
      return await send();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#free += 1;
      } else {
        this.#waiting.delete(next);
        next(true);
      }
    }
  }

  /** Returns whether the request has received a slot. */
  async #wait(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<true>();
    this.#waiting.add(resolve);
    const late = new AbortController();
    const waited = new AbortController();
    void this.#clock.sleep(waitMs, waited.signal).then(() => late.abort());
    await unlessAborted(promise, AbortSignal.any([signal, late.signal]));
    waited.abort();
    // The slot may have been passed on at the moment of the abort.
    return !this.#waiting.delete(resolve);
  }
}
