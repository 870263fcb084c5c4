// Looks into the local queues without taking anything, messages that are not due yet included: SQS itself has no such call.
import * as z from 'zod/mini';
import type { QueueName } from '../../shared/workqueue/port.ts';
import type { LocalSqs } from './sqs.ts';

const messageSchema = z.object({ body: z.string() });

const contentsSchema = z.object({
  messages: z.object({ ready: z.array(messageSchema), delayed: z.array(messageSchema) }),
});

/** Bodies of the messages that nobody has received yet, those held back last. */
export async function readWaiting(sqs: Pick<LocalSqs, 'endpoint'>, queue: QueueName): Promise<readonly string[]> {
  const answer = await fetch(`${sqs.endpoint}/_fauxqs/queues/${queue}`);
  if (!answer.ok) {
    throw new Error(`Looking into queue "${queue}" failed: the local queues answered ${answer.status}`);
  }
  const { messages } = contentsSchema.parse(await answer.json());
  return [...messages.ready, ...messages.delayed].map(({ body }) => body);
}
