// Sends audit events in batches, again when that fails, and in no promised order: whoever receives them must expect
// duplicates, reordering and gaps, as from a real server.
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { splitBatch, type TruncateLimits, truncateEvent } from './truncate.ts';

export interface BatchLimits {
  /** Events in one post. */
  readonly maxSize: number;
  /** How long the first event of a batch waits for others. */
  readonly maxWaitMs: number;
  /** Events that wait; what comes beyond is lost. */
  readonly buffer: number;
  /** Before the second try; each further one waits half as long again. */
  readonly initialBackoffMs: number;
}

export interface SenderOptions {
  readonly clock: Clock;
  /** Rejects when the receiver did not take the events, for whatever reason. */
  readonly post: (events: readonly JsonObject[]) => Promise<void>;
  readonly batch: BatchLimits;
  /** Absent: events go out whatever their size. */
  readonly truncate?: TruncateLimits | undefined;
  /** Told of events that nobody will get. */
  readonly onLoss: (count: number, why: unknown) => void;
}

export interface Sender {
  send(event: JsonObject): void;
  /** Tries what waits once more, and resolves when nothing is under way. Losses are not told any more. */
  stop(): Promise<void>;
}

/** As many as kube-apiserver makes, refusals included: a receiver with a wrong token may get the right one meanwhile. */
const maxTries = 5;
const backoffFactor = 1.5;

/** Posts side by side: one that is tried again holds up no other. */
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

  /** A batch goes out when it is full, or when its first event has waited long enough. */
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
