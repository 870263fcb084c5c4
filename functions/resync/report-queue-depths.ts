// Reports dead letters and unprocessed messages of every queue at each resync. Two metrics cover all queues. They are
// written only for problems, because CloudWatch bills a custom metric by the hours with data.

import { type Log, toError } from '@capi-serverless/reconciler';
import { deadLetters, type Metrics, waitingMessages } from '../../shared/kernel/metrics.ts';
import type { QueueDepth, QueueName, QueueReceiver } from '../../shared/workqueue/port.ts';
import { isDeadLetterQueue } from '../../shared/workqueue/queue-names.ts';

interface QueueDepthOptions {
  readonly queues: Pick<QueueReceiver, 'depth'>;
  /** All queues of this deployment. */
  readonly known: readonly QueueName[];
  readonly metrics: Metrics;
  readonly log: Log;
}

/**
 * The maximum number of messages that wait in a queue with a consumer. A resync distributes its messages over the whole
 * period. A queue without a consumer keeps one message per object of the previous resync.
 */
export const mostWaiting = 10;

/**
 * Returns the messages of each dead-letter queue. Never rejects. An unreadable queue depth is logged and read again at
 * the next resync.
 */
export async function reportQueueDepths({
  queues,
  known,
  metrics,
  log,
}: QueueDepthOptions): Promise<ReadonlyMap<QueueName, number>> {
  const letters = new Map<QueueName, number>();
  await Promise.all(
    known.map(async queue => {
      try {
        const { name, what, messages } = toFinding(queue, await queues.depth(queue));
        if (isDeadLetterQueue(queue)) {
          letters.set(queue, messages);
        }
        if (messages > 0) {
          metrics.observe(name, { queue }, messages);
          log.info(what, { queue, messages });
        }
      } catch (thrown) {
        log.error('Reading the depth of a queue failed', toError(thrown), { queue });
      }
    }),
  );
  return letters;
}

function toFinding(queue: QueueName, { visible, inFlight, delayed }: QueueDepth) {
  return isDeadLetterQueue(queue)
    ? { name: deadLetters, what: 'Finding dead letters', messages: visible + inFlight + delayed }
    : { name: waitingMessages, what: 'Finding unserved messages', messages: visible > mostWaiting ? visible : 0 };
}
