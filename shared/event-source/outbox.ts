// Collects the messages of one batch of changes: one message per reconciler and object.

import type { Log } from '@capi-serverless/reconciler';
import type { Metrics } from '../kernel/metrics.ts';
import type { NewId } from '../workqueue/ids.ts';
import { toExpandMessage, toWorkMessage } from '../workqueue/outgoing.ts';
import type { OutgoingMessage, QueueName, QueueSender } from '../workqueue/port.ts';
import { expandQueue, workQueueOf } from '../workqueue/queue-names.ts';
import { type ChangeBundle, mergeBundles, toBundle } from './bundle.ts';
import { type ExpandTarget, toExpansion, toRequest, type WorkTarget } from './messages.ts';
import type { ChangeReceiver } from './router.ts';
import { settleSend } from './settle-send.ts';

export interface OutboxOptions {
  readonly queues: QueueSender;
  readonly newId: NewId;
  readonly metrics: Metrics;
}

export interface Outbox extends ChangeReceiver {
  /** The number of messages that `send` sends. */
  readonly size: number;
  /**
   * Sends each message once. Returns the number of messages that the queues accepted. If a queue refused any, also
   * returns the first error. In this case the changes must be delivered again. A message that no queue can accept is
   * logged and dropped.
   */
  send(log: Log): Promise<{ readonly sent: number; readonly refused: Error | undefined }>;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const work = new Map<string, ChangeBundle<WorkTarget>>();
  const expansions = new Map<string, ChangeBundle<ExpandTarget>>();
  return {
    work(arrival) {
      const id = `${arrival.target.reconciler} ${arrival.key}`;
      work.set(id, mergeBundles(work.get(id), toBundle(arrival)));
    },
    expand(arrival) {
      expansions.set(arrival.key, mergeBundles(expansions.get(arrival.key), toBundle(arrival)));
    },
    get size() {
      return work.size + expansions.size;
    },
    async send(log) {
      const { queues, metrics } = options;
      const batches = toBatches(options, { work: [...work.values()], expansions: [...expansions.values()] });
      const results = await Promise.all(
        [...batches].map(async ([queue, messages]) =>
          settleSend(messages, await queues.send(queue, messages), { queue, metrics, log }),
        ),
      );
      return {
        sent: results.reduce((sum, result) => sum + result.sent, 0),
        refused: results.flatMap(({ refused }) => refused)[0]?.error,
      };
    },
  };
}

function toBatches(
  { newId }: OutboxOptions,
  gathered: {
    readonly work: readonly ChangeBundle<WorkTarget>[];
    readonly expansions: readonly ChangeBundle<ExpandTarget>[];
  },
): ReadonlyMap<QueueName, readonly OutgoingMessage[]> {
  const batches = new Map<QueueName, OutgoingMessage[]>();
  const put = (queue: QueueName, message: OutgoingMessage): void => {
    const batch = batches.get(queue) ?? [];
    batches.set(queue, batch);
    batch.push(message);
  };
  for (const bundle of gathered.work) {
    put(workQueueOf(bundle.target.reconciler), toWorkMessage(toRequest(bundle, newId), newId));
  }
  for (const bundle of gathered.expansions) {
    put(expandQueue, toExpandMessage(toExpansion(bundle, newId)));
  }
  return batches;
}
