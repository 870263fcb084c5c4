// The names of all queues follow from the reconcilers' names.
import type { QueueName } from './port.ts';

/** Holds requests that are not due yet; functions/timer forwards them. */
export const delayQueue: QueueName = 'delay';

/** Holds sources whose primaries only a listing can tell; functions/resync resolves them. */
export const expandQueue: QueueName = 'expand';

/** Takes what says that the watch-forwarder does its work; nobody receives from it. */
export const heartbeatQueue: QueueName = 'heartbeat';

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

export function isDeadLetterQueue(queue: QueueName): boolean {
  return /-dlq(\.fifo)?$/.test(queue);
}
