// The names of all queues. The name of a work queue contains its reconciler.
import type { QueueName } from './port.ts';

/** The queue of requests that are not due yet. functions/timer forwards them. */
export const delayQueue: QueueName = 'delay';

/** The queue of sources whose primaries can only be found by a list. functions/resync expands them. */
export const expandQueue: QueueName = 'expand';

/** The queue of the watch-forwarder's heartbeats. No function receives them. */
export const heartbeatQueue: QueueName = 'heartbeat';

const fifoSuffix = '.fifo';
const workPrefix = 'work-';

/** The work queue of all reconcilers, in deployments where they share one. */
export const sharedWorkQueue: QueueName = `work${fifoSuffix}`;

export function workQueueOf(reconciler: string): QueueName {
  return `${workPrefix}${reconciler}${fifoSuffix}`;
}

/**
 * Returns the queue among `queues` that receives the messages for this queue: the queue itself, or the shared work queue
 * for the work queue of a reconciler without its own. Returns `undefined` if there is neither.
 */
export function findActualQueue(queue: QueueName, queues: Readonly<Record<QueueName, unknown>>): QueueName | undefined {
  if (Object.hasOwn(queues, queue)) {
    return queue;
  }
  const isWork = queue.startsWith(workPrefix) && isFifo(queue) && !isDeadLetterQueue(queue);
  return isWork && Object.hasOwn(queues, sharedWorkQueue) ? sharedWorkQueue : undefined;
}

export function isFifo(queue: QueueName): boolean {
  return queue.endsWith(fifoSuffix);
}

/** The dead-letter queue of a FIFO queue must be FIFO too, so the suffix stays last. */
export function deadLetterQueueOf(queue: QueueName): QueueName {
  return isFifo(queue) ? `${queue.slice(0, -fifoSuffix.length)}-dlq${fifoSuffix}` : `${queue}-dlq`;
}

/**
 * The dead-letter queues of requests that no other message repeats: timers, and expansions of events. The resync sends their
 * messages again.
 */
export function deadLettersSentAgain(): readonly QueueName[] {
  return [delayQueue, expandQueue].map(deadLetterQueueOf);
}

export function isDeadLetterQueue(queue: QueueName): boolean {
  return /-dlq(\.fifo)?$/.test(queue);
}
