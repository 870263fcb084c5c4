// Sends to one queue: debounces changes, sends simultaneous changes in batches, and keeps messages during outages of
// the queue.

import { type Clock, type Instant, withoutUndefined } from '@capi-serverless/apimachinery';
import { type Log, toError } from '@capi-serverless/reconciler';
import type { Arrival, ChangeBundle } from '../../shared/event-source/bundle.ts';
import { settleSend } from '../../shared/event-source/settle-send.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { OutgoingMessage, QueueName, QueueSender, SendOutcome } from '../../shared/workqueue/port.ts';
import { aborted } from './aborted.ts';
import { Debouncer, type DebounceSettings } from './debounce.ts';

interface LaneOptions<Target> {
  readonly queue: QueueName;
  readonly queues: QueueSender;
  readonly toMessage: (bundle: ChangeBundle<Target>) => OutgoingMessage;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The minimum time between two messages of the same target. Default: one second. */
  readonly windowOf?: (target: Target) => number | undefined;
}

/** The values were measured, see docs/decisions/0006. */
const debounce: Omit<DebounceSettings<unknown>, 'windowOf'> = {
  windowMs: 1_000,
  settleMs: 250,
  busyMs: 5_000,
  outage: { firstMs: 250, longestMs: 30_000 },
};

/** The size of ten SQS batches, which are sent in one call. Later changes wait for the next call. */
const mostAtOnce = 100;

/**
 * The maximum time for which a graceful stop retries a queue that refuses messages. After the next start, the list
 * sends all changes again.
 */
const flushMs = 10_000;

/** An abort without a reason creates an Error with a stack each time. This constant avoids the cost. */
const changeArrived = 'a change arrived';

/** At most one call of the sender is in progress. Changes that arrive during the call wait for the next one. */
export class Lane<Target> {
  readonly #options: LaneOptions<Target>;
  readonly #debouncer: Debouncer<Target>;
  #flying = 0;
  #interrupt = new AbortController();

  constructor(options: LaneOptions<Target>) {
    this.#options = options;
    this.#debouncer = new Debouncer({ ...debounce, ...withoutUndefined({ windowOf: options.windowOf }) });
  }

  /** The number of messages that wait or are being sent. */
  get pending(): number {
    return this.#debouncer.pending + this.#flying;
  }

  /** Returns at once. `run` sends the message. */
  offer(arrival: Arrival<Target>): void {
    this.#debouncer.offer(arrival, this.#options.clock.now());
    this.#interrupt.abort(changeArrived);
  }

  /** Sends until `signal` aborts, then sends pending messages for at most `flushMs`. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#interrupt.abort(changeArrived);
    signal.addEventListener('abort', stop);
    while (!signal.aborted) {
      await this.#restUntil(this.#debouncer.nextDueAt(this.#options.clock.now()));
      await this.#sendDue();
    }
    signal.removeEventListener('abort', stop);
    await this.#flush();
  }

  /** The wait ends early when a change arrives. Simultaneous changes are sent together. */
  async #restUntil(due: Instant | undefined): Promise<void> {
    const { clock } = this.#options;
    this.#interrupt = new AbortController();
    if (due === undefined) {
      await aborted(this.#interrupt.signal);
    } else if (due > clock.now()) {
      await clock.sleep(due - clock.now(), this.#interrupt.signal);
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

  #settle(bundles: readonly ChangeBundle<Target>[], outcomes: readonly SendOutcome[]): void {
    const { queue, clock, log, metrics } = this.#options;
    const { refused } = settleSend(bundles, outcomes, { queue, metrics, log });
    const now = clock.now();
    this.#debouncer.giveBack(
      refused.map(({ item }) => item),
      now,
    );
    const isOutage = refused.length === bundles.length;
    const retryAfterMs = isOutage ? this.#debouncer.outage(now) : this.#debouncer.accepted();
    if (refused.length > 0) {
      log.error('Sending messages failed, keeping them', refused[0]?.error, {
        queue,
        messages: refused.length,
        retryAfterMs,
      });
    }
  }

  async #flush(): Promise<void> {
    const { queue, clock, log } = this.#options;
    const deadline = clock.now() + flushMs;
    this.#debouncer.accepted();
    this.#debouncer.endAllWindows();
    while (this.#debouncer.pending > 0) {
      const due = this.#debouncer.nextDueAt(clock.now()) ?? deadline;
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
  bundles: readonly ChangeBundle<Target>[],
): Promise<readonly SendOutcome[]> {
  try {
    return await queues.send(queue, bundles.map(toMessage));
  } catch (thrown) {
    const error = toError(thrown);
    return bundles.map(() => ({ ok: false, error }));
  }
}
