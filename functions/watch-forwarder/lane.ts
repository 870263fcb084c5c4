// One queue's way out: debounces, batches what comes in the same moment, and outlives outages of the queue.

import type { Instant } from '../../shared/api/object.ts';
import type { Arrival, Bundle } from '../../shared/event-source/bundle.ts';
import { refusedSends, sentMessages } from '../../shared/event-source/metrics.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import { SendValidationError } from '../../shared/workqueue/limits.ts';
import type { OutgoingMessage, QueueName, QueueSender, SendOutcome } from '../../shared/workqueue/port.ts';
import { Debouncer, type DebounceSettings } from './debounce.ts';

export interface LaneOptions<Target> {
  readonly queue: QueueName;
  readonly queues: QueueSender;
  readonly toMessage: (bundle: Bundle<Target>) => OutgoingMessage;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Measured against others in docs/decisions/0006. */
export const debounce: DebounceSettings = {
  windowMs: 1_000,
  settleMs: 250,
  busyMs: 5_000,
  outage: { firstMs: 250, longestMs: 30_000 },
};

/** Ten batches of SQS: what is sent at once, while later arrivals gather. */
export const mostAtOnce = 100;

/** A graceful stop waits this long for a queue that refuses; the list after the next start sends everything again. */
const flushMs = 10_000;

/** Said where nobody reads it: without a reason each abort makes an error, stack and all. */
const poked = 'something arrived';

/** At most one call of the sender is under way; what arrives meanwhile gathers for the next. */
export class Lane<Target> {
  readonly #options: LaneOptions<Target>;
  readonly #debouncer = new Debouncer<Target>(debounce);
  #flying = 0;
  #poke = new AbortController();

  constructor(options: LaneOptions<Target>) {
    this.#options = options;
  }

  /** How many messages are waiting or being sent. */
  get pending(): number {
    return this.#debouncer.pending + this.#flying;
  }

  /** Takes it in without waiting; the message goes out while `run` runs. */
  offer(arrival: Arrival<Target>): void {
    this.#debouncer.offer(arrival, this.#options.clock.now());
    this.#poke.abort(poked);
  }

  /** Sends until `signal` aborts, then what is pending, for at most `flushMs`. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#poke.abort(poked);
    signal.addEventListener('abort', stop);
    while (!signal.aborted) {
      await this.#restUntil(this.#debouncer.nextWakeUp(this.#options.clock.now()));
      await this.#sendDue();
    }
    signal.removeEventListener('abort', stop);
    await this.#flush();
  }

  /** Ends early when something arrives; what arrives in the same moment is sent together. */
  async #restUntil(due: Instant | undefined): Promise<void> {
    const { clock } = this.#options;
    this.#poke = new AbortController();
    if (due === undefined) {
      await aborted(this.#poke.signal);
    } else if (due > clock.now()) {
      await clock.sleep(due - clock.now(), this.#poke.signal);
    }
    await clock.sleep(0);
  }

  async #sendDue(): Promise<void> {
    const bundles = this.#debouncer.take(this.#options.clock.now(), mostAtOnce);
    if (bundles.length === 0) {
      return;
    }
    this.#flying = bundles.length;
    const outcomes = await sendAll(this.#options, bundles);
    this.#flying = 0;
    this.#settle(bundles, outcomes);
  }

  #settle(bundles: readonly Bundle<Target>[], outcomes: readonly SendOutcome[]): void {
    const { queue, clock, log, metrics } = this.#options;
    const refused: Bundle<Target>[] = [];
    let cause: Error | undefined;
    for (const [index, bundle] of bundles.entries()) {
      const outcome = outcomes[index] ?? { ok: false, error: new Error('The sender told nothing about this message') };
      metrics.count(outcome.ok ? sentMessages : refusedSends, { queue });
      if (outcome.ok) {
        continue;
      }
      if (outcome.error instanceof SendValidationError) {
        log.error('Dropping a message that no queue takes', outcome.error, { queue });
        continue;
      }
      cause ??= outcome.error;
      refused.push(bundle);
    }
    const now = clock.now();
    this.#debouncer.giveBack(refused, now);
    const isOutage = refused.length === bundles.length;
    const retryAfterMs = isOutage ? this.#debouncer.outage(now) : this.#debouncer.accepted();
    if (refused.length > 0) {
      log.error('Sending messages failed, keeping them', cause, { queue, messages: refused.length, retryAfterMs });
    }
  }

  async #flush(): Promise<void> {
    const { queue, clock, log } = this.#options;
    const deadline = clock.now() + flushMs;
    this.#debouncer.accepted();
    this.#debouncer.endAllWindows();
    while (this.#debouncer.pending > 0) {
      const due = this.#debouncer.nextWakeUp(clock.now()) ?? deadline;
      if (due >= deadline) {
        log.error('Stopping with messages unsent', undefined, { queue, messages: this.#debouncer.pending });
        return;
      }
      await clock.sleep(due - clock.now());
      await this.#sendDue();
    }
  }
}

async function sendAll<Target>(
  { queues, queue, toMessage }: LaneOptions<Target>,
  bundles: readonly Bundle<Target>[],
): Promise<readonly SendOutcome[]> {
  try {
    return await queues.send(queue, bundles.map(toMessage));
  } catch (thrown) {
    const error = toError(thrown);
    return bundles.map(() => ({ ok: false, error }));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}
