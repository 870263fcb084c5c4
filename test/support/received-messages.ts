// Receives the messages that a test waits for.
import type { QueueName, Queues, ReceivedMessage } from '../../shared/workqueue/port.ts';

/** The longest wait of SQS. */
const waitSeconds = 20;
/** Only against a message that never comes. A loaded machine needs more time than one wait. */
const mostWaits = 15;

/** Waits until the queue has messages. Throws after five minutes, with what was awaited. */
export async function receiveAwaited(
  queues: Queues,
  queue: QueueName,
  awaited: string,
): Promise<readonly ReceivedMessage[]> {
  for (let waits = 0; waits < mostWaits; waits += 1) {
    const received = await queues.receive(queue, { max: 10, waitSeconds });
    if (received.length > 0) {
      return received;
    }
  }
  throw new Error(`Queue ${queue} had no message within ${mostWaits * waitSeconds} s. Awaited: ${awaited}`);
}
