// The SQS client of one process. Region and credentials come from the environment, as the SDK reads it.
import { SQSClient } from '@aws-sdk/client-sqs';

/** One try, two retries with back-off and jitter: a follow-up that still fails comes back with its message. */
const maxAttempts = 3;

/** A client for queues that all live at one endpoint, that of the given URLs. Reuses connections. */
export function createSqsClient(queueUrls: Readonly<Record<string, string>>): SQSClient {
  const [url] = Object.values(queueUrls);
  // Without it the SDK would fall back to the URL's host too, but warn on every call to an emulator.
  const endpoint = url === undefined ? {} : { endpoint: new URL(url).origin };
  return new SQSClient({ ...endpoint, retryMode: 'standard', maxAttempts });
}
