// Creates the SQS client of a process. The SDK reads region and credentials from the environment.
import { SQSClient } from '@aws-sdk/client-sqs';

/** One try and two retries with backoff and jitter. If all fail, SQS delivers the current message again. */
const maxAttempts = 3;

/** Creates a client for the endpoint of the given URLs, which must be the same for all queues. Reuses connections. */
export function createSqsClient(queueUrls: Readonly<Record<string, string>>): SQSClient {
  const [url] = Object.values(queueUrls);
  // Without an endpoint, the SDK also uses the host of the URL, but logs a warning on every call to an emulator.
  const endpoint = url === undefined ? {} : { endpoint: new URL(url).origin };
  return new SQSClient({ ...endpoint, retryMode: 'standard', maxAttempts });
}
