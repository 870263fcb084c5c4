// Gathers what one body of events says: one message per reconciler and object, however many events name it.
import { type Bundle, mergeBundles, toBundle } from '../../shared/event-source/bundle.ts';
import { type ExpandTarget, toExpansion, toRequest, type WorkTarget } from '../../shared/event-source/messages.ts';
import { refusedSends, sentMessages } from '../../shared/event-source/metrics.ts';
import type { Exits } from '../../shared/event-source/router.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Metrics } from '../../shared/kernel/metrics.ts';
import type { NewId } from '../../shared/workqueue/ids.ts';
import { SendValidationError } from '../../shared/workqueue/limits.ts';
import { toEventMessage, toExpandMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName, QueueSender } from '../../shared/workqueue/port.ts';
import type { QueueDesign } from '../../shared/workqueue/queue-design.ts';
import { expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';

export interface OutboxOptions {
  readonly queues: QueueSender;
  readonly queueDesign: QueueDesign;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly metrics: Metrics;
}

export interface Outbox extends Exits {
  /**
   * Sends everything, once. Resolves with how many messages the queues accepted, and with the first error if they refused
   * any: then the whole body must come again. What no queue would ever take is logged and left out.
   */
  send(log: Log): Promise<{ readonly sent: number; readonly refused: Error | undefined }>;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const work = new Map<string, Bundle<WorkTarget>>();
  const expansions = new Map<string, Bundle<ExpandTarget>>();
  return {
    work(arrival) {
      const id = `${arrival.target.reconciler} ${arrival.key}`;
      work.set(id, mergeBundles(work.get(id), toBundle(arrival)));
    },
    expand(arrival) {
      expansions.set(arrival.key, mergeBundles(expansions.get(arrival.key), toBundle(arrival)));
    },
    async send(log) {
      const batches = toBatches(options, { work: [...work.values()], expansions: [...expansions.values()] });
      const results = await Promise.all([...batches].map(([queue, messages]) => sendTo(options, queue, messages)));
      for (const error of results.flatMap(({ unfit }) => unfit)) {
        log.error('Dropping a message that no queue takes', error);
      }
      return {
        sent: results.reduce((sum, result) => sum + result.sent, 0),
        refused: results.flatMap(({ refused }) => refused)[0],
      };
    },
  };
}

function toBatches(
  { queueDesign: design, clock, newId }: OutboxOptions,
  gathered: { readonly work: readonly Bundle<WorkTarget>[]; readonly expansions: readonly Bundle<ExpandTarget>[] },
): ReadonlyMap<QueueName, readonly OutgoingMessage[]> {
  const now = clock.now();
  const batches = new Map<QueueName, OutgoingMessage[]>();
  const put = (queue: QueueName, message: OutgoingMessage): void => {
    const batch = batches.get(queue) ?? [];
    batches.set(queue, batch);
    batch.push(message);
  };
  for (const bundle of gathered.work) {
    put(workQueueOf(bundle.target.reconciler), toEventMessage(toRequest(bundle, newId), { newId, design, now }));
  }
  for (const bundle of gathered.expansions) {
    put(expandQueue, toExpandMessage(toExpansion(bundle, newId)));
  }
  return batches;
}

async function sendTo({ queues, metrics }: OutboxOptions, queue: QueueName, messages: readonly OutgoingMessage[]) {
  const outcomes = await queues.send(queue, messages);
  const errors = outcomes.flatMap(outcome => {
    metrics.count(outcome.ok ? sentMessages : refusedSends, { queue });
    return outcome.ok ? [] : [outcome.error];
  });
  const refused = errors.filter(error => !(error instanceof SendValidationError));
  if (outcomes.length < messages.length) {
    refused.push(new Error(`Queue ${queue} told nothing about ${messages.length - outcomes.length} messages`));
  }
  return {
    sent: outcomes.length - errors.length,
    unfit: errors.filter(error => error instanceof SendValidationError),
    refused,
  };
}
