// The queues and their settings. Deployments and local runs create their queues from this table.
import type { QueueName } from './port.ts';
import {
  deadLetterQueueOf,
  delayQueue,
  expandQueue,
  heartbeatQueue,
  isFifo,
  sharedWorkQueue,
  workQueueOf,
} from './queue-names.ts';

export interface QueueSpec {
  readonly name: QueueName;
  readonly fifo: boolean;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  /** SQS moves a message here instead of delivering it more than `maxReceiveCount` times. */
  readonly redrive?: { readonly deadLetterQueue: QueueName; readonly maxReceiveCount: number };
}

export interface Consumer {
  readonly queue: QueueName;
  /** The timeout of the function that consumes the queue. */
  readonly timeoutSeconds: number;
  /** The maximum number of messages of one invocation. */
  readonly batchSize: number;
  readonly maxReceiveCount: number;
}

/** The largest batch of a FIFO queue: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html. */
export const largestBatch = 10;
/** The functions of a shared queue run templates and rules of tenants, like each reconciler with this size. */
export const sharedBatch = 1;

/**
 * How long a message stays hidden after the last sign of life of the process that has it. The process renews the lease
 * while it works, so a message of a dead process is delivered again after at most this time.
 */
export const leaseSeconds = 45;

/**
 * The time after which a message is a dead letter, if its function cannot start or is throttled all the time: nothing
 * renews or ends its lease, so each delivery hides it for the visibility timeout of the queue. It does not depend on the
 * timeout of the function (docs/decisions/0084-time-to-a-dead-letter.md).
 */
const deadLetterSeconds = 900;

/**
 * The visibility timeout is longer than the timeout of the function by this time at least. Lambda requires the timeout
 * itself: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html. The lease and the rest tell a throttled
 * delivery from a death (shared/kernel/deaths.ts).
 */
export const visibilityBeyondTimeoutSeconds = leaseSeconds + 30;
const daySeconds = 86_400;
/** The deliveries of a message of a work queue before it becomes a dead letter. */
export const workReceives = 5;
/** The number is larger than for a work queue, because a lost delayed request is a lost requeue. */
const delayReceives = 10;

export const timerTimeoutSeconds = 30;
export const resyncTimeoutSeconds = 120;

/**
 * `per-kind`: each reconciler has its own work queue and function. `compact`: all reconcilers share one of each. The
 * messages are the same in both (docs/decisions/0055-shared-work-queue.md).
 */
export const layouts = ['per-kind', 'compact'] as const;

export type WorkQueueLayout = (typeof layouts)[number];

/** The layout of a deployment with these queues. */
export function layoutOf(queues: Readonly<Record<QueueName, unknown>>): WorkQueueLayout {
  return Object.hasOwn(queues, sharedWorkQueue) ? 'compact' : 'per-kind';
}

interface Reconciler {
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly batchSize?: number;
}

/** The maximum number of messages of one invocation of a reconciler's own function. */
export const batchSizeOf = ({ batchSize = largestBatch }: Pick<Reconciler, 'batchSize'>): number => batchSize;

/**
 * The consumers of the reconcilers' work queues, of the delay queue and of the expand queue. The reconcilers of
 * providers, which run beside, have queues of their own in every layout.
 */
export function toConsumers(
  declarations: readonly Reconciler[],
  layout: WorkQueueLayout = 'per-kind',
  beside: readonly Reconciler[] = [],
): readonly Consumer[] {
  return [
    ...toWorkConsumers(declarations, layout),
    ...toWorkConsumers(beside, 'per-kind'),
    {
      queue: delayQueue,
      timeoutSeconds: timerTimeoutSeconds,
      batchSize: largestBatch,
      maxReceiveCount: delayReceives,
    },
    {
      queue: expandQueue,
      timeoutSeconds: resyncTimeoutSeconds,
      batchSize: largestBatch,
      maxReceiveCount: workReceives,
    },
  ];
}

/** The function that consumes the shared queue has the longest timeout of the reconcilers. */
function toWorkConsumers(declarations: readonly Reconciler[], layout: WorkQueueLayout): readonly Consumer[] {
  const own = declarations.map(declaration => ({
    queue: workQueueOf(declaration.name),
    timeoutSeconds: declaration.timeoutSeconds,
    batchSize: batchSizeOf(declaration),
    maxReceiveCount: workReceives,
  }));
  const timeoutSeconds = Math.max(...own.map(consumer => consumer.timeoutSeconds));
  const shared = { queue: sharedWorkQueue, timeoutSeconds, batchSize: sharedBatch, maxReceiveCount: workReceives };
  return layout === 'per-kind' ? own : [shared];
}

/** How long a delivery hides a message, if its function does not say otherwise. */
export function toVisibilitySeconds({
  timeoutSeconds,
  maxReceiveCount,
}: Pick<Consumer, 'timeoutSeconds' | 'maxReceiveCount'>): number {
  const least = timeoutSeconds + visibilityBeyondTimeoutSeconds;
  return Math.max(Math.ceil(deadLetterSeconds / maxReceiveCount), least);
}

/** The queue of each consumer, preceded by its dead-letter queue. */
export function toQueueSpecs(consumers: readonly Consumer[]): readonly QueueSpec[] {
  return consumers.flatMap(consumer => {
    const { queue, maxReceiveCount } = consumer;
    const fifo = isFifo(queue);
    const deadLetterQueue = deadLetterQueueOf(queue);
    const visibilityTimeoutSeconds = toVisibilitySeconds(consumer);
    return [
      { name: deadLetterQueue, fifo, visibilityTimeoutSeconds, retentionSeconds: 14 * daySeconds },
      {
        name: queue,
        fifo,
        visibilityTimeoutSeconds,
        retentionSeconds: 4 * daySeconds,
        redrive: { deadLetterQueue, maxReceiveCount },
      },
    ];
  });
}

/** The queue for the heartbeats of a deployed watch-forwarder. The retention is the minimum of SQS. */
export const heartbeatQueueSpec: QueueSpec = {
  name: heartbeatQueue,
  fifo: false,
  visibilityTimeoutSeconds: 30,
  retentionSeconds: 60,
};
