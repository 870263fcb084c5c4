// Looks into every queue at each resync: dead letters, and messages that nobody serves. Two metrics of our own for all queues,
// told only where something is wrong, because a metric costs by the hours in which it is told.
import { toError } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/log.ts';
import { deadLetters, type Metrics, waitingMessages } from '../../shared/kernel/metrics.ts';
import type { QueueDepth, QueueName, QueueReceiver } from '../../shared/workqueue/port.ts';
import { isDeadLetterQueue } from '../../shared/workqueue/queue-names.ts';

export interface LookOptions {
  readonly queues: Pick<QueueReceiver, 'depth'>;
  /** All queues that this function knows. */
  readonly known: readonly QueueName[];
  readonly metrics: Metrics;
  readonly log: Log;
}

/**
 * A queue that is served holds fewer at any moment, however many objects there are: a resync spreads them over its period. One
 * that is not served holds each object's message of the resync before.
 */
export const mostWaiting = 10;

/** Never rejects: a queue that cannot be asked is logged, and asked again by the next resync. */
export async function lookIntoQueues({ queues, known, metrics, log }: LookOptions): Promise<void> {
  await Promise.all(
    known.map(async queue => {
      try {
        const { name, what, messages } = toFinding(queue, await queues.depth(queue));
        if (messages > 0) {
          metrics.observe(name, { queue }, messages);
          log.info(what, { queue, messages });
        }
      } catch (thrown) {
        log.error('Looking into a queue failed', toError(thrown), { queue });
      }
    }),
  );
}

function toFinding(queue: QueueName, { visible, inFlight, delayed }: QueueDepth) {
  return isDeadLetterQueue(queue)
    ? { name: deadLetters, what: 'Finding dead letters', messages: visible + inFlight + delayed }
    : { name: waitingMessages, what: 'Finding messages that wait', messages: visible > mostWaiting ? visible : 0 };
}
