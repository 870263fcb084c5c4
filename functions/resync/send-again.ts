// Sends dead letters of the delay queue and of the expand queue again. They are requests that no other message repeats:
// timers, and expansions of events.
import { toError } from '@capi-serverless/reconciler';
import { parseExpansion } from '../../shared/workqueue/expand.ts';
import { parseRequest } from '../../shared/workqueue/message.ts';
import { isObjectName } from '../../shared/workqueue/object-names.ts';
import type { QueueName, QueueReceiver, QueueSender, ReceivedMessage } from '../../shared/workqueue/port.ts';
import {
  deadLetterQueueOf,
  delayQueue,
  expandQueue,
  findActualQueue,
  workQueueOf,
} from '../../shared/workqueue/queue-names.ts';
import { canExpand } from './expand.ts';
import type { ExpandOptions } from './options.ts';

interface SendAgainOptions extends Pick<ExpandOptions, 'declarations' | 'log' | 'signal'> {
  readonly queues: QueueSender & Pick<QueueReceiver, 'receive' | 'delete'>;
  /** All queues of this deployment. */
  readonly known: Readonly<Record<QueueName, unknown>>;
}

/** The maximum number of dead letters of one run. */
export const mostLetters = 500;

const batchSize = 10;
/** SQS is distributed. A short poll of a non-empty queue can return nothing. */
const waitSeconds = 1;

/**
 * Returns the number of dead letters that were sent and deleted. A dead letter that its function refuses stays, for
 * example one of a reconciler without a queue. Never rejects: a failure is logged, and the next run tries again.
 */
export async function sendAgain(options: SendAgainOptions, deadLetterQueue: QueueName): Promise<number> {
  const { queues, signal, log } = options;
  const queue = deadLetterQueue === deadLetterQueueOf(delayQueue) ? delayQueue : expandQueue;
  let [sent, seen] = [0, 0];
  try {
    while (seen < mostLetters && !signal.aborted) {
      const letters = await queues.receive(deadLetterQueue, { max: batchSize, waitSeconds, signal });
      if (letters.length === 0) {
        break;
      }
      seen += letters.length;
      sent += await sendBatch(
        options,
        queue,
        letters.filter(({ body }) => isAccepted(options, queue, body)),
      );
    }
  } catch (thrown) {
    log.error('Sending dead letters again failed', toError(thrown), { queue });
  }
  log.info('Sent dead letters again', { queue, sent, kept: seen - sent });
  return sent;
}

/** Sends first, then deletes what the queue accepted. */
async function sendBatch(
  { queues }: SendAgainOptions,
  queue: QueueName,
  letters: readonly ReceivedMessage[],
): Promise<number> {
  if (letters.length === 0) {
    return 0;
  }
  const outcomes = await queues.send(
    queue,
    letters.map(({ body }) => ({ body })),
  );
  const accepted = letters.filter((_, index) => outcomes[index]?.ok === true);
  await queues.delete(
    deadLetterQueueOf(queue),
    accepted.map(({ receiptHandle }) => receiptHandle),
  );
  return accepted.length;
}

/** Returns true if the function of the queue can do what the message requests. */
function isAccepted({ declarations, known }: SendAgainOptions, queue: QueueName, body: string): boolean {
  try {
    if (queue === expandQueue) {
      return canExpand(declarations, parseExpansion(body));
    }
    const { reconciler, key } = parseRequest(body);
    return findActualQueue(workQueueOf(reconciler), known) !== undefined && isObjectName(key);
  } catch {
    return false;
  }
}
