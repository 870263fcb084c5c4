// One queue's way out: debounces, batches what comes in the same moment, and outlives outages of the queue.
import type { Instant } from '../../shared/api/object.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import { SendValidationError } from '../../shared/workqueue/limits.ts';
import type { OutgoingMessage, QueueName, QueueSender, SendOutcome } from '../../shared/workqueue/port.ts';
import { type Arrival, type Bundle, Debouncer } from './debounce.ts';
import { refusedSends, sentMessages } from './metrics.ts';

export interface LaneOptions<Target> {
  readonly queue: QueueName;
  readonly queues: QueueSender;
  readonly toMessage: (bundle: Bundle<Target>) => OutgoingMessage;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Lane<Target> {
  /** Takes it in without waiting; the message goes out while `run` runs. */
  offer(arrival: Arrival<Target>): void;
  /** How many messages are waiting or being sent. */
  readonly pending: number;
  /** Sends until `signal` aborts, then what is pending, for at most `flushMs`. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

const windowMs = 1_000;
const outageGaps = { firstMs: 250, longestMs: 30_000 };

/** Ten batches of SQS: what is sent at once, while later arrivals gather. */
const mostAtOnce = 100;

/** A graceful stop waits this long for a queue that refuses; the list after the next start sends everything again. */
const flushMs = 10_000;

export function createLane<Target>(options: LaneOptions<Target>): Lane<Target> {
  const { queue, clock, log, metrics } = options;
  const debouncer = new Debouncer<Target>({ windowMs, outage: outageGaps });
  let flying = 0;
  let poke = new AbortController();

  async function sendDue(): Promise<void> {
    const bundles = debouncer.take(clock.now(), mostAtOnce);
    if (bundles.length === 0) {
      return;
    }
    flying = bundles.length;
    const outcomes = await sendAll(options, bundles);
    flying = 0;
    settle(bundles, outcomes);
  }

  function settle(bundles: readonly Bundle<Target>[], outcomes: readonly SendOutcome[]): void {
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
    debouncer.giveBack(refused, now);
    const isOutage = refused.length === bundles.length;
    const retryAfterMs = isOutage ? debouncer.outage(now) : debouncer.accepted();
    if (refused.length > 0) {
      log.error('Sending messages failed, keeping them', cause, { queue, messages: refused.length, retryAfterMs });
    }
  }

  async function restUntil(due: Instant | undefined): Promise<void> {
    poke = new AbortController();
    if (due === undefined) {
      await aborted(poke.signal);
    } else if (due > clock.now()) {
      await clock.sleep(due - clock.now(), poke.signal);
    }
    await clock.sleep(0);
  }

  async function flush(): Promise<void> {
    const deadline = clock.now() + flushMs;
    debouncer.accepted();
    debouncer.endAllWindows();
    while (debouncer.pending > 0) {
      const due = debouncer.nextWakeUp(clock.now()) ?? deadline;
      if (due >= deadline) {
        log.error('Stopping with messages unsent', undefined, { queue, messages: debouncer.pending });
        return;
      }
      await clock.sleep(due - clock.now());
      await sendDue();
    }
  }

  return {
    get pending() {
      return debouncer.pending + flying;
    },
    offer(arrival) {
      debouncer.offer(arrival);
      poke.abort();
    },
    async run(signal) {
      const stop = (): void => poke.abort();
      signal.addEventListener('abort', stop);
      while (!signal.aborted) {
        await restUntil(debouncer.nextWakeUp(clock.now()));
        await sendDue();
      }
      signal.removeEventListener('abort', stop);
      await flush();
    },
  };
}

async function sendAll<Target>(
  { queues, queue, toMessage }: LaneOptions<Target>,
  bundles: readonly Bundle<Target>[],
): Promise<readonly SendOutcome[]> {
  try {
    return await queues.send(queue, bundles.map(toMessage));
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return bundles.map(() => ({ ok: false, error }));
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}
