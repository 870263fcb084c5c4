// The names of all queues follow from the reconcilers' names.
import type { QueueName } from './port.ts';

/** Holds requests that are not due yet; functions/timer forwards them. */
export const delayQueue: QueueName = 'delay';

/** Holds sources whose primaries only a listing can tell; functions/resync resolves them. */
export const expandQueue: QueueName = 'expand';

const fifoSuffix = '.fifo';

export function workQueueOf(reconciler: string): QueueName {
  return `work-${reconciler}${fifoSuffix}`;
}

export function isFifo(queue: QueueName): boolean {
  return queue.endsWith(fifoSuffix);
}

/** A FIFO queue's dead-letter queue must be FIFO itself, so the suffix stays last. */
export function deadLetterQueueOf(queue: QueueName): QueueName {
  return isFifo(queue) ? `${queue.slice(0, -fifoSuffix.length)}-dlq${fifoSuffix}` : `${queue}-dlq`;
}
