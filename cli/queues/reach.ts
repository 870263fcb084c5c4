// Sends requests to the queues of a local run or of a deployment.
import type { QueueTarget } from '../../local/queue-target.ts';
import { localClient } from '../../local/sqs.ts';
import { UsageError } from '../../local/usage-error.ts';
import { createSqsClient } from '../../shared/workqueue/sqs/sqs-client.ts';
import { createSqsQueues, QueueError } from '../../shared/workqueue/sqs/sqs-queues.ts';

export function queuesOf({ kind, queueUrls }: QueueTarget) {
  const [url = ''] = Object.values(queueUrls);
  const client = kind === 'local' ? localClient(new URL(url).origin) : createSqsClient(queueUrls);
  return createSqsQueues({ queueUrls, client });
}

/** Throws UsageError if the queues cannot be reached, because this is not a defect of the program. */
export async function whileReachable<T>({ kind }: QueueTarget, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (thrown) {
    if (!(thrown instanceof QueueError)) {
      throw thrown;
    }
    const remedy =
      kind === 'local'
        ? 'check that the local run has not ended'
        : 'check CAPI_QUEUE_URLS, AWS_REGION and the credentials';
    throw new UsageError(`${thrown.message}; ${remedy}`, { cause: thrown });
  }
}
