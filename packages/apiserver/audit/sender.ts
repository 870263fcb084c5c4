// Sends audit events in batches, with retries and without ordering. As with kube-apiserver, a receiver must expect
// duplicates, reordering and gaps.
import type { Clock, JsonObject } from '@capi-serverless/apimachinery';
import { splitBatch, type TruncateLimits, truncateEvent } from './truncate.ts';

export interface BatchLimits {
  /** The maximum number of events in one request. */
  readonly maxSize: number;
  /** The time after the first event until a batch is sent. */
  readonly maxWaitMs: number;
  /** The maximum number of pending events. Further events are dropped. */
  readonly buffer: number;
  /** The delay before the second try. Each later delay is 1.5 times the previous one. */
  readonly initialBackoffMs: number;
}

export interface SenderOptions {
  readonly clock: Clock;
  /** Rejects if the receiver did not accept the events. */
  readonly post: (events: readonly JsonObject[]) => Promise<void>;
  readonly batch: BatchLimits;
  /** If absent, events of any size are sent. */
  readonly truncate?: TruncateLimits | undefined;
  /** Called with events that are dropped. */
  readonly onLoss: (count: number, why: unknown) => void;
}

export interface Sender {
  send(event: JsonObject): void;
  /** Retries pending events once. Resolves when no request is in flight. Later losses are not reported. */
  stop(): Promise<void>;
}

/**
 * Refusals are also retried, as in kube-apiserver, because the token of the receiver may be corrected in the meantime.
 */
const maxTries = 5;
const backoffFactor = 1.5;

/** The number of concurrent requests. A request that is retried does not block the others. */
const maxUnderWay = 4;

export function createSender(options: SenderOptions): Sender {
  return new BatchSender(options);
}

class BatchSender implements Sender {
  readonly #options: SenderOptions;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #waiting: JsonObject[] = [];
  #collecting = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  send(event: JsonObject): void {
    const { truncate, batch, onLoss } = this.#options;
    const fitting = truncate === undefined ? event : truncateEvent(event, truncate);
    if (fitting === undefined) {
      onLoss(1, 'the event is too large even without its objects');
    } else if (this.#waiting.length >= batch.buffer) {
      onLoss(1, `${batch.buffer} events wait already`);
    } else {
      this.#waiting.push(fitting);
      void this.#collect();
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    while (this.#waiting.length > 0 || this.#underWay.size > 0) {
      this.#dispatch();
      await Promise.all(this.#underWay);
    }
  }

  /** A batch is sent when it is full or its wait time ends. */
  async #collect(): Promise<void> {
    const { clock, batch } = this.#options;
    if (this.#waiting.length >= batch.maxSize) {
      this.#dispatch();
    }
    if (this.#collecting || this.#waiting.length === 0) {
      return;
    }
    this.#collecting = true;
    await clock.sleep(batch.maxWaitMs, this.#stopping.signal);
    this.#collecting = false;
    this.#dispatch();
  }

  #dispatch(): void {
    const { batch, truncate } = this.#options;
    while (this.#waiting.length > 0 && this.#underWay.size < maxUnderWay) {
      const events = this.#waiting.splice(0, batch.maxSize);
      for (const part of truncate === undefined ? [events] : splitBatch(events, truncate)) {
        this.#track(this.#deliver(part));
      }
    }
  }

  #track(delivery: Promise<void>): void {
    const tracked = delivery.finally(() => {
      this.#underWay.delete(tracked);
      this.#dispatch();
    });
    this.#underWay.add(tracked);
  }

  /** Never rejects. */
  async #deliver(events: readonly JsonObject[]): Promise<void> {
    const { clock, post, batch, onLoss } = this.#options;
    const { signal } = this.#stopping;
    let backoffMs = batch.initialBackoffMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await post(events);
        return;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        if (attempt === maxTries) {
          onLoss(events.length, error);
          return;
        }
      }
      await clock.sleep(backoffMs, signal);
      backoffMs *= backoffFactor;
    }
  }
}
