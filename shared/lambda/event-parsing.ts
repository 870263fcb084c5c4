// Middleware that parses events of an SQS event source mapping.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event

import { type Clock, type Instant, withoutUndefined } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { type Metrics, refusedMessages, workqueueAdds, workqueueQueueSeconds } from '../kernel/metrics.ts';
import type { QueueName } from '../workqueue/port.ts';
import type { Middleware } from './invocation.ts';

interface BatchMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** The number of deliveries of this message. It is 1 for the first delivery. */
  readonly receiveCount: number;
  /** The time when the message was sent, by the queue's clock. */
  readonly sentAtMs?: number;
  /** The time of the first delivery, by the queue's clock. */
  readonly firstReceivedAtMs?: number;
  /** Present for FIFO queues only. */
  readonly groupId?: string;
}

export interface Batch {
  /** The queue of the messages. */
  readonly queue: QueueName;
  readonly messages: readonly BatchMessage[];
}

const eventSchema = z.object({
  // Even an unreadable message must be reported by its id.
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
    // Without these times, a message is served all the same, so any value is accepted.
    SentTimestamp: z.optional(z.unknown()),
    ApproximateFirstReceiveTimestamp: z.optional(z.unknown()),
    MessageGroupId: z.optional(z.string()),
  }),
});

interface EventParsingOptions {
  readonly functionName: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/**
 * Passes a `Batch` to the next middleware. Records that are not queue messages are counted, reported as failed and dropped.
 * Throws if the event is not a batch of messages.
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
          // The clocks of the queue and of this process may differ.
          metrics.observe(workqueueQueueSeconds, { name }, Math.max(0, clock.now() - sentAtMs) / 1000);
        }
      }
      request.event = batch;
    },
  };
}

/** All records of an event come from one queue. */
function toBatch(records: readonly z.infer<typeof recordSchema>[]): Batch {
  const queue = records[0]?.eventSourceARN.split(':').at(-1) ?? '';
  const messages = records.map(({ messageId, receiptHandle, body, attributes }) => ({
    messageId,
    receiptHandle,
    body,
    receiveCount: Number(attributes.ApproximateReceiveCount),
    ...withoutUndefined({
      sentAtMs: toInstant(attributes.SentTimestamp),
      firstReceivedAtMs: toInstant(attributes.ApproximateFirstReceiveTimestamp),
      groupId: attributes.MessageGroupId,
    }),
  }));
  return { queue, messages };
}

function toInstant(timestamp: unknown): Instant | undefined {
  const instant = typeof timestamp === 'string' ? Number(timestamp) : Number.NaN;
  return Number.isFinite(instant) ? instant : undefined;
}
