// Reads an event of an SQS event source mapping.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
import * as z from 'zod/mini';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { type Metrics, refusedMessages, workqueueAdds, workqueueQueueSeconds } from '../kernel/metrics.ts';
import type { QueueName } from '../workqueue/port.ts';
import type { Middleware } from './invocation.ts';

export interface BatchMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** 1 at the first delivery. */
  readonly receiveCount: number;
  /** By the queue's clock. */
  readonly sentAtMs?: number;
  /** FIFO queues only. */
  readonly groupId?: string;
}

export interface Batch {
  /** Where the messages come from. */
  readonly queue: QueueName;
  readonly messages: readonly BatchMessage[];
}

const eventSchema = z.object({
  // Even a message that is otherwise unreadable must be reported by its id.
  Records: z.array(z.looseObject({ messageId: z.string().check(z.minLength(1)) })).check(z.minLength(1)),
});

const recordSchema = z.object({
  messageId: z.string(),
  receiptHandle: z.string(),
  body: z.string(),
  eventSource: z.literal('aws:sqs'),
  eventSourceARN: z.string().check(z.regex(/^arn:[^:]+:sqs:[^:]*:[^:]*:[^:]+$/)),
  attributes: z.looseObject({
    ApproximateReceiveCount: z.string().check(z.regex(/^[1-9]\d*$/)),
    // For measuring alone: whatever it is, the message is served.
    SentTimestamp: z.optional(z.unknown()),
    MessageGroupId: z.optional(z.string()),
  }),
});

export interface EventParsingOptions {
  readonly functionName: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/**
 * Hands a `Batch` inwards. Records that are not messages of a queue are reported as failed, counted and left out. Throws
 * when the event is no batch of messages at all.
 */
export function eventParsing({ functionName: name, log, metrics, clock }: EventParsingOptions): Middleware {
  return {
    name: 'eventParsing',
    before: request => {
      const event = eventSchema.safeParse(request.event);
      if (!event.success) {
        throw new TypeError(`Function "${name}" was called with an event that holds no queue messages`);
      }
      const read = event.data.Records.map(record => ({ record, parsed: recordSchema.safeParse(record) }));
      const records = read.flatMap(({ parsed }) => (parsed.success ? [parsed.data] : []));
      const unreadable = read.filter(({ parsed }) => !parsed.success).map(({ record }) => record.messageId);
      for (const messageId of unreadable) {
        metrics.count(refusedMessages, { controller: name, reason: 'unreadable' });
        log.error('Refusing a message', new TypeError('The record is not a message of a queue'), { messageId });
      }
      request.internal.messages = read.length;
      request.internal.unreadable = unreadable;
      const batch = toBatch(records);
      for (const { sentAtMs } of batch.messages) {
        metrics.count(workqueueAdds, { name });
        if (sentAtMs !== undefined) {
          // The queue's clock is another one.
          metrics.observe(workqueueQueueSeconds, { name }, Math.max(0, clock.now() - sentAtMs) / 1000);
        }
      }
      request.event = batch;
    },
  };
}

/** An event source mapping never mixes queues. */
function toBatch(records: readonly z.infer<typeof recordSchema>[]): Batch {
  const queue = records[0]?.eventSourceARN.split(':').at(-1) ?? '';
  const messages = records.map(({ messageId, receiptHandle, body, attributes }) => ({
    messageId,
    receiptHandle,
    body,
    receiveCount: Number(attributes.ApproximateReceiveCount),
    ...toSentAt(attributes.SentTimestamp),
    ...(attributes.MessageGroupId === undefined ? {} : { groupId: attributes.MessageGroupId }),
  }));
  return { queue, messages };
}

function toSentAt(timestamp: unknown): Pick<BatchMessage, 'sentAtMs'> {
  const sentAtMs = typeof timestamp === 'string' ? Number(timestamp) : Number.NaN;
  return Number.isFinite(sentAtMs) ? { sentAtMs } : {};
}
