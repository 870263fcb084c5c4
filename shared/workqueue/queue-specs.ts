// Which queues exist and how they are set: the one table from which every substrate creates them.
import type { QueueName } from './port.ts';
import { bucketDelaySeconds, type QueueDesign } from './queue-design.ts';
import { deadLetterQueueOf, delayQueue, expandQueue, heartbeatQueue, isFifo, workQueueOf } from './queue-names.ts';

export interface QueueSpec {
  readonly name: QueueName;
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  /** Holds back every message that has no delay of its own. */
  readonly delaySeconds?: number;
  /** Where a message goes when it would be received more than `maxReceiveCount` times. */
  readonly redrive?: { readonly deadLetterQueue: QueueName; readonly maxReceiveCount: number };
}

export interface Consumer {
  readonly queue: QueueName;
  /** Timeout of the function that serves the queue. */
  readonly timeoutSeconds: number;
  readonly maxReceiveCount: number;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html advises six function timeouts. */
export const visibilityPerTimeout = 6;
const daySeconds = 86_400;
const workReceives = 5;
/** More than a work queue: a delayed request that is lost early is a lost wake-up. */
const delayReceives = 10;

export const timerTimeoutSeconds = 30;
export const resyncTimeoutSeconds = 120;

/** The consumers of a set of reconcilers, with those of the delay and expand queues. */
export function toConsumers(
  declarations: readonly { readonly name: string; readonly timeoutSeconds: number }[],
): readonly Consumer[] {
  return [
    ...declarations.map(({ name, timeoutSeconds }) => ({
      queue: workQueueOf(name),
      timeoutSeconds,
      maxReceiveCount: workReceives,
    })),
    { queue: delayQueue, timeoutSeconds: timerTimeoutSeconds, maxReceiveCount: delayReceives },
    { queue: expandQueue, timeoutSeconds: resyncTimeoutSeconds, maxReceiveCount: workReceives },
  ];
}

/** Each consumer's queue, preceded by its dead-letter queue. */
export function toQueueSpecs(consumers: readonly Consumer[], design: QueueDesign = 'default'): readonly QueueSpec[] {
  return consumers.flatMap(({ queue, timeoutSeconds, maxReceiveCount }) => {
    const fifo = isFifo(queue);
    const deadLetterQueue = deadLetterQueueOf(queue);
    const visibilityTimeoutSeconds = visibilityPerTimeout * timeoutSeconds;
    return [
      { name: deadLetterQueue, fifo, visibilityTimeoutSeconds, retentionSeconds: 14 * daySeconds },
      {
        name: queue,
        fifo,
        visibilityTimeoutSeconds,
        retentionSeconds: 4 * daySeconds,
        ...(fifo && design === 'bucket' ? { delaySeconds: bucketDelaySeconds } : {}),
        redrive: { deadLetterQueue, maxReceiveCount },
      },
    ];
  });
}

/** Where a deployed watch-forwarder says that it watches: a message lives as briefly as SQS allows. */
export const heartbeatQueueSpec: QueueSpec = {
  name: heartbeatQueue,
  fifo: false,
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 60,
};
