// SQS and Secrets Manager for functions of a deployment, on loopback. Every call is recorded with the function that made
// it: the access key of its signature is the name of the function. A secret under a key causes the calls to KMS that
// Secrets Manager makes for its caller.
// https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html#security-encryption-authz
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type LocalSqs, startSqs } from '../../local/sqs.ts';
import type { QueueSpec } from '../../shared/workqueue/queue-specs.ts';
import { type FaultServer, type Received, reply, startFaultServer } from './fault-server.ts';
import type { Place } from './intrinsics.ts';

export interface RecordedCall {
  readonly caller: string;
  readonly action: string;
  /** The ARN of the resource. */
  readonly resource: string;
  readonly context: Readonly<Record<string, string>>;
}

export interface SecretOnAws {
  /** The values of its stages. */
  readonly stages: Map<string, string>;
  readonly kmsKeyArn?: string | undefined;
}

export interface RecordedAws {
  readonly calls: readonly RecordedCall[];
  record(call: Omit<RecordedCall, 'context'> & Partial<Pick<RecordedCall, 'context'>>): void;
  readonly queueEndpoint: string;
  /** The environment with which a function has this identity. */
  environmentOf(functionName: string): Readonly<Record<string, string>>;
  /** The certificate authority of the stand-in of Secrets Manager. */
  readonly certificateAuthority: string;
  stop(): Promise<void>;
}

/** The permission for each operation on several messages. */
const permissionOf: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

/**
 * The calls to KMS that SQS makes for the sender or receiver of messages in an encrypted queue:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 */
const queueKeyActionsOf: Readonly<Record<string, readonly string[]>> = {
  SendMessage: ['GenerateDataKey', 'Decrypt'],
  ReceiveMessage: ['Decrypt'],
};

interface AwsContents {
  readonly queues: readonly QueueSpec[];
  /** The customer-managed key of all queues. */
  readonly queueKeyArn?: string | undefined;
  readonly secrets: ReadonlyMap<string, SecretOnAws>;
}

export async function startRecordedAws(
  place: Place,
  { queues, queueKeyArn, secrets }: AwsContents,
): Promise<RecordedAws> {
  const calls: RecordedCall[] = [];
  const record: RecordedAws['record'] = call => void calls.push({ context: {}, ...call });
  const sqs = await startSqs({ queues });
  const proxy = await startProxy(sqs, place, ({ caller, action, resource }) => {
    record({ caller, action: `sqs:${action}`, resource });
    const kmsActions = queueKeyActionsOf[action] ?? [];
    recordKeyUse({ caller, service: 'sqs', keyArn: queueKeyArn, kmsActions }, record);
  });
  const manager = await startSecretsManager(secrets, record);
  return {
    calls,
    record,
    queueEndpoint: proxy.endpoint,
    certificateAuthority: manager.ca,
    environmentOf: functionName => ({
      AWS_REGION: place.region,
      AWS_ACCESS_KEY_ID: functionName,
      AWS_SECRET_ACCESS_KEY: 'none',
      AWS_ENDPOINT_URL_SECRETS_MANAGER: manager.url,
    }),
    async stop() {
      await Promise.all([proxy.stop(), manager.close()]);
      await sqs.stop();
    },
  };
}

function callerOf(headers: IncomingMessage['headers']): string {
  return /Credential=([^/]+)\//.exec(String(headers.authorization))?.[1] ?? 'unsigned';
}

function actionOf(headers: IncomingMessage['headers']): string {
  return String(headers['x-amz-target']).split('.')[1] ?? '';
}

/** Records calls of the JSON protocol and passes them on. */
async function startProxy(
  sqs: LocalSqs,
  { partition, region, account }: Place,
  record: (call: Omit<RecordedCall, 'context'>) => void,
) {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const queue = new URL(JSON.parse(body).QueueUrl).pathname.split('/').at(-1) ?? '';
    const action = actionOf(request.headers);
    record({
      caller: callerOf(request.headers),
      action: permissionOf[action] ?? action,
      resource: `arn:${partition}:sqs:${region}:${account}:${queue}`,
    });
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(sqs.endpoint, {
      method: 'POST',
      headers: headers as Record<string, string>, // true: SQS clients repeat no header
      body,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  };
  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // true: it listens
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function startSecretsManager(
  secrets: ReadonlyMap<string, SecretOnAws>,
  record: RecordedAws['record'],
): Promise<FaultServer> {
  return startFaultServer(({ headers, body }: Received, response) => {
    const input: SecretInput = JSON.parse(body);
    const [caller, action, resource] = [callerOf(headers), actionOf(headers), input.SecretId];
    record({ caller, action: `secretsmanager:${action}`, resource });
    const secret = secrets.get(resource);
    const use = {
      caller,
      service: 'secretsmanager',
      keyArn: secret?.kmsKeyArn,
      kmsActions: kmsActionsOf[action] ?? [],
    };
    recordKeyUse(use, record);
    const answer = secret && answerOf(secret, action, input);
    reply(response, answer === undefined ? 400 : 200, answer ?? { __type: 'ResourceNotFoundException' });
  });
}

interface KeyUse {
  readonly caller: string;
  /** The service that uses the key for its caller. */
  readonly service: string;
  /** Undefined: a key that AWS manages, which needs no rights. */
  readonly keyArn: string | undefined;
  readonly kmsActions: readonly string[];
}

function recordKeyUse({ caller, service, keyArn, kmsActions }: KeyUse, record: RecordedAws['record']): void {
  if (keyArn === undefined) {
    return;
  }
  const context = { 'kms:ViaService': `${service}.${keyArn.split(':')[3]}.amazonaws.com` };
  for (const action of kmsActions) {
    record({ caller, action: `kms:${action}`, resource: keyArn, context });
  }
}

interface SecretInput {
  readonly SecretId: string;
  readonly VersionStage?: string;
  readonly SecretString?: string;
  readonly VersionStages?: readonly string[];
}

const kmsActionsOf: Readonly<Record<string, readonly string[]>> = {
  GetSecretValue: ['Decrypt'],
  PutSecretValue: ['GenerateDataKey', 'Decrypt'],
};

/** The id of a version is the name of its first stage. */
function answerOf({ stages }: SecretOnAws, action: string, input: SecretInput): object | undefined {
  const { VersionStage: stage = 'AWSCURRENT', SecretString: value = '', VersionStages: [pending = ''] = [] } = input;
  switch (action) {
    case 'PutSecretValue':
      stages.set(pending, value);
      return {};
    case 'DescribeSecret':
      return { VersionIdsToStages: Object.fromEntries([...stages.keys()].map(name => [name, [name]])) };
    case 'GetSecretValue':
      return stages.has(stage) ? { SecretString: stages.get(stage) } : undefined;
    default:
      return {};
  }
}
