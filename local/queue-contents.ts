// Reads the local queues without receiving messages. Delayed messages are included. SQS has no such API.

import type { Instant } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import type { QueueName } from '../shared/workqueue/port.ts';
import { QueueError } from '../shared/workqueue/sqs/sqs-queues.ts';
import type { LocalSqs } from './sqs.ts';

const messageSchema = z.object({ body: z.string(), sentTimestamp: z.number() });

const contentsSchema = z.object({
  messages: z.object({
    ready: z.array(messageSchema),
    delayed: z.array(messageSchema),
    inflight: z.array(z.object({ message: messageSchema })),
  }),
});

/** The bodies of the messages that have not been received yet. Delayed messages are last. */
export async function readWaiting(sqs: Pick<LocalSqs, 'endpoint'>, queue: QueueName): Promise<readonly string[]> {
  const { ready, delayed } = await readContents(sqs.endpoint, queue);
  return [...ready, ...delayed].map(({ body }) => body);
}

/** The send time of the oldest message in any state. `undefined` if the queue is empty. */
export async function readOldest(endpoint: string, queue: QueueName): Promise<Instant | undefined> {
  const { ready, delayed, inflight } = await readContents(endpoint, queue);
  const all = [...ready, ...delayed, ...inflight.map(({ message }) => message)];
  return all.length === 0 ? undefined : Math.min(...all.map(({ sentTimestamp }) => sentTimestamp));
}

async function readContents(endpoint: string, queue: QueueName) {
  const what = `Looking into queue "${queue}" failed`;
  const answer = await fetch(`${endpoint}/_fauxqs/queues/${queue}`).catch(cause => {
    throw new QueueError(`${what}: ${toError(cause).message}`, { cause });
  });
  if (!answer.ok) {
    throw new QueueError(`${what}: the local queues answered ${answer.status}`);
  }
  return contentsSchema.parse(await answer.json()).messages;
}
