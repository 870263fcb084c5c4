// An SQS emulator in this process, and the creation of queues on any endpoint with the SQS protocol.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { foreignHost, isLoopbackHost } from '@capi-serverless/apiserver/http';
import { buildApp } from 'fauxqs';
import type { QueueName } from '../shared/workqueue/port.ts';
import type { QueueSpec } from '../shared/workqueue/queue-specs.ts';
import { localAccount, localRegion } from './local-lambda.ts';

const loopback = '127.0.0.1';

export interface LocalSqs {
  readonly endpoint: string;
  readonly queueUrls: Readonly<Record<QueueName, string>>;
  /** The environment that functions and clients of these queues need. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Runs the queues on the loopback address, by default at a free port. `stop` discards all messages. */
export async function startSqs(options: {
  readonly queues: readonly QueueSpec[];
  readonly port?: number;
}): Promise<LocalSqs> {
  const app = buildApp({ logger: false });
  refuseForeignHosts(app);
  returnUnreceivedMessages(app);
  const endpoint = await app.listen({ port: options.port ?? 0, host: loopback });
  const client = localClient(endpoint);
  try {
    await createQueues(client, options.queues);
  } catch (error) {
    await app.close();
    throw error;
  } finally {
    client.destroy();
  }
  const queueUrls = toQueueUrls(endpoint, options.queues);
  return {
    endpoint,
    queueUrls,
    environment: {
      CAPI_QUEUE_URLS: toQueueSetting(endpoint, Object.keys(queueUrls)),
      AWS_REGION: localRegion,
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    },
    stop: () => app.close(),
  };
}

/** CAPI_QUEUE_URLS for the queues at an endpoint with one account. */
function toQueueSetting(endpoint: string, names: readonly QueueName[]): string {
  return `${endpoint}/${localAccount}/{${names.join(',')}}`;
}

/** The URLs of the queues at an endpoint with one account. */
export function toQueueUrls(
  endpoint: string,
  queues: readonly Pick<QueueSpec, 'name'>[],
): Readonly<Record<QueueName, string>> {
  return Object.fromEntries(queues.map(({ name }) => [name, `${endpoint}/${localAccount}/${name}`]));
}

/** Any credentials are accepted, because the local queues check no signature. */
const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Creates a client of local queues, independent of the environment. */
export function localClient(endpoint: string): SQSClient {
  return new SQSClient({ endpoint, region: localRegion, credentials: localCredentials });
}

/** Creates the queues in the given order. A dead-letter queue must precede the queues that use it. */
export async function createQueues(client: SQSClient, specs: readonly QueueSpec[]): Promise<void> {
  const arns = new Map<QueueName, string>();
  for (const spec of specs) {
    const deadLetterArn = spec.redrive === undefined ? undefined : arns.get(spec.redrive.deadLetterQueue);
    if (spec.redrive !== undefined && deadLetterArn === undefined) {
      throw new Error(
        `Queue "${spec.name}" needs its dead-letter queue "${spec.redrive.deadLetterQueue}" created first`,
      );
    }
    const attributes = toAttributes(spec, deadLetterArn);
    const { QueueUrl: url } = await client.send(
      new CreateQueueCommand({ QueueName: spec.name, Attributes: attributes }),
    );
    const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] });
    const { Attributes: answered } = await client.send(asked);
    arns.set(spec.name, answered?.QueueArn ?? '');
  }
}

function toAttributes(spec: QueueSpec, deadLetterTargetArn: string | undefined): Record<string, string> {
  return {
    VisibilityTimeout: String(spec.visibilityTimeoutSeconds),
    MessageRetentionPeriod: String(spec.retentionSeconds),
    ...(spec.fifo
      ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' }
      : {}),
    ...(spec.redrive === undefined
      ? {}
      : { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: spec.redrive.maxReceiveCount }) }),
  };
}

/** The queues check no credentials, so a web page must not be able to call them with its own host name. */
function refuseForeignHosts(app: ReturnType<typeof buildApp>): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!isLoopbackHost(request.headers.host)) {
      await reply.code(foreignHost.status).type('text/plain').send(foreignHost.text);
    }
  });
}

/**
 * The emulator delivers messages to a client that has disconnected. It would hide them for a whole visibility timeout.
 */
function returnUnreceivedMessages(app: ReturnType<typeof buildApp>): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    const action = String(request.headers['x-amz-target'] ?? '');
    if (!action.endsWith('.ReceiveMessage') || typeof payload !== 'string') {
      return;
    }
    // The close event of a connection may arrive after the message that ends the long poll.
    await nextTurn();
    if (!request.raw.socket.destroyed) {
      return;
    }
    // True: both types are the protocol's types. The emulator parsed the first one and wrote the second one.
    const { QueueUrl: url } = request.body as { readonly QueueUrl: string };
    const { Messages: messages = [] } = JSON.parse(payload) as { readonly Messages?: readonly Received[] };
    await Promise.all(messages.map(({ ReceiptHandle: handle }) => showAgain(app, url, handle)));
  });
}

interface Received {
  readonly ReceiptHandle: string;
}

async function showAgain(app: ReturnType<typeof buildApp>, url: string, handle: string): Promise<void> {
  await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ChangeMessageVisibility' },
    payload: JSON.stringify({ QueueUrl: url, ReceiptHandle: handle, VisibilityTimeout: 0 }),
  });
}
