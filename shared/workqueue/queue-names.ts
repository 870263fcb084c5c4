// The names of all queues. The name of a work queue contains its reconciler.
import type { QueueName } from './port.ts';

/** The queue of requests that are not due yet. functions/timer forwards them. */
export const delayQueue: QueueName = 'delay';

/** The queue of sources whose primaries can only be found by a list. functions/resync expands them. */
export const expandQueue: QueueName = 'expand';

/** The queue of the watch-forwarder's heartbeats. No function receives them. */
export const heartbeatQueue: QueueName = 'heartbeat';

const fifoSuffix = '.fifo';

export function workQueueOf(reconciler: string): QueueName {
  return `work-${reconciler}${fifoSuffix}`;
}

export function isFifo(queue: QueueName): boolean {
  return queue.endsWith(fifoSuffix);
}

/** The dead-letter queue of a FIFO queue must be FIFO too, so the suffix stays last. */
export function deadLetterQueueOf(queue: QueueName): QueueName {
  return isFifo(queue) ? `${queue.slice(0, -fifoSuffix.length)}-dlq${fifoSuffix}` : `${queue}-dlq`;
}

export function isDeadLetterQueue(queue: QueueName): boolean {
  return /-dlq(\.fifo)?$/.test(queue);
}
