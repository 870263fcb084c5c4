// Notes that a queue was purged, so that the next run enqueues what its messages requested. CloudTrail reports purges.
import { toDisplayName } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import {
  isOvertaken,
  readState,
  stateNames,
  toStateRef,
  writeState,
} from '../../shared/event-source/state-config-map.ts';
import type { QueueName } from '../../shared/workqueue/port.ts';
import { isDeadLetterQueue } from '../../shared/workqueue/queue-names.ts';
import type { ResyncOptions } from './options.ts';
import { parseLossText, toLossText, withPurge } from './repairs.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-logging-using-cloudtrail.html */
const purgeSchema = z.object({
  detail: z.object({
    eventName: z.literal('PurgeQueue'),
    requestParameters: z.object({ queueUrl: z.string() }),
  }),
});

/** Runs of the resync write the same ConfigMap, and may overtake a note. */
const mostTries = 3;

/**
 * Returns the queue whose purge this event reports. Undefined for another event, for an unknown queue, and for a
 * dead-letter queue: its messages were lost before.
 */
export function purgedQueueOf(event: unknown, queueUrls: Readonly<Record<QueueName, string>>): QueueName | undefined {
  const parsed = purgeSchema.safeParse(event);
  if (!parsed.success) {
    return undefined;
  }
  const name = toPhysicalName(parsed.data.detail.requestParameters.queueUrl);
  return Object.keys(queueUrls).find(queue => !isDeadLetterQueue(queue) && toPhysicalName(queueUrls[queue]) === name);
}

/** The last part of the URL. A queue has several URLs, with the names of former endpoints. */
function toPhysicalName(url = ''): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Throws RetryableError if the ConfigMap cannot be read or written. Without it, the next run enqueues everything. */
export async function notePurge(
  options: Pick<ResyncOptions, 'kubernetes' | 'stateNamespace' | 'watchFilter' | 'log'>,
  queue: QueueName,
): Promise<void> {
  const { kubernetes, log } = options;
  const ref = toStateRef(stateNames.resync, options);
  log.info('A queue was purged', { queue });
  for (let tries = 1; ; tries += 1) {
    const stored = await readState(kubernetes, ref);
    if (!stored.ok) {
      throw new RetryableError(`Reading ConfigMap ${toDisplayName(ref)} failed: ${stored.failure.message}`);
    }
    const { data, resourceVersion } = stored.value;
    if (resourceVersion === undefined) {
      return;
    }
    const losses = toLossText(withPurge(parseLossText(data['losses']), queue));
    const written = await writeState(kubernetes, ref, { before: stored.value, data: { ...data, losses } });
    if (written.ok) {
      return;
    }
    if (tries === mostTries || !isOvertaken(written.failure.reason)) {
      throw new RetryableError(`Writing ConfigMap ${toDisplayName(ref)} failed: ${written.failure.message}`);
    }
  }
}
