// A small Secrets Manager client that sends signed HTTP requests. The client of the SDK would increase every cold
// start. https://docs.aws.amazon.com/secretsmanager/latest/apireference/Welcome.html
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { toError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { type AwsIdentity, type AwsRequest, createAwsIdentity, toServiceUrl } from './identity.ts';

/** A failed request. The error contains the secret's name and the answer of Secrets Manager, but never the value. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
  /** The error code in the answer of Secrets Manager, if there was an answer. */
  readonly code: string | undefined;

  constructor(message: string, { cause, code }: { readonly cause?: unknown; readonly code?: string | undefined } = {}) {
    super(message, { cause });
    this.code = code;
  }
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

type Post = (request: AwsRequest) => Promise<HttpAnswer>;

export type ReadSecret = (arn: string) => Promise<string>;

export interface SecretsOptions {
  readonly identity?: AwsIdentity;
  readonly post?: Post;
  /**
   * The address of Secrets Manager, for a VPC endpoint without private DNS. It must begin with https://. Default: the
   * variable that the AWS SDKs read, otherwise the address of the region.
   * https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
   */
  readonly endpoint?: string | undefined;
}

const endpointVariable = 'AWS_ENDPOINT_URL_SECRETS_MANAGER';

const timeoutMs = 5_000;

const valueSchema = z.object({ SecretString: z.optional(z.string()), SecretBinary: z.optional(z.string()) });
const refusalSchema = z.object({
  __type: z.string(),
  message: z.optional(z.string()),
  Message: z.optional(z.string()),
});

/** Reads the current version of a secret on every call. Rejects with SecretError. */
export function createSecretReader(options: SecretsOptions = {}): ReadSecret {
  return async arn => {
    const answer = await ask(options, {
      doing: `Reading secret ${arn}`,
      action: 'GetSecretValue',
      body: { SecretId: arn },
    });
    const value = toValue(answer.text);
    if (value === undefined) {
      throw new SecretError(`Reading secret ${arn} failed: the answer holds no value`);
    }
    return value;
  };
}

interface SecretsRequest {
  /** The operation and its secret, for error messages. */
  readonly doing: string;
  readonly action: 'GetSecretValue' | 'DescribeSecret' | 'PutSecretValue' | 'UpdateSecretVersionStage';
  readonly body: Readonly<Record<string, unknown>> & { readonly SecretId: string };
}

/**
 * Sends one signed request and returns an answer with status 200. Otherwise rejects with a SecretError that contains
 * the service's code.
 */
export async function ask(
  { identity = createAwsIdentity(), post = postByTls, endpoint = process.env[endpointVariable] }: SecretsOptions,
  { doing, action, body }: SecretsRequest,
): Promise<HttpAnswer> {
  const answer = await send({ identity, post, endpoint }, action, body).catch(cause => {
    throw new SecretError(`${doing} failed: ${toError(cause).message}`, { cause });
  });
  if (answer.status !== 200) {
    throw toRefusal(doing, answer);
  }
  return answer;
}

async function send(
  { identity, post, endpoint }: Required<SecretsOptions>,
  action: string,
  body: SecretsRequest['body'],
): Promise<HttpAnswer> {
  // The secret may be in another region than the function.
  const region = body.SecretId.split(':')[3] ?? (await identity.region());
  const unsigned: AwsRequest = {
    method: 'POST',
    url: endpoint === undefined ? toServiceUrl('secretsmanager', region) : toEndpoint(endpoint),
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `secretsmanager.${action}` },
    body: JSON.stringify(body),
  };
  const purpose = { service: 'secretsmanager', region, at: systemClock.now() };
  return post({ ...unsigned, headers: await identity.sign(unsigned, purpose) });
}

/** Values of secrets are sent over TLS only. */
function toEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') {
    throw new Error(`${endpointVariable} must be an address that begins with https://`);
  }
  return url;
}

/** The error code and message of the service. The message never quotes a value. */
function toRefusal(doing: string, { status, text: body }: HttpAnswer): SecretError {
  const { __type: type, message, Message } = refusalSchema.safeParse(parse(body)).data ?? {};
  const code = type?.split('#').at(-1);
  const problem = [String(status), code, message ?? Message].filter(Boolean).join(' ');
  return new SecretError(`${doing} failed: ${problem}`, { code });
}

/** Returns `undefined` if the answer contains no value. */
export function toValue(body: string): string | undefined {
  const { SecretString: plain, SecretBinary: binary } = valueSchema.safeParse(parse(body)).data ?? {};
  return plain ?? (binary === undefined ? undefined : Buffer.from(binary, 'base64').toString('utf8'));
}

export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/**
 * Sends one request on its own connection, because secrets are read every few minutes. Rejects if there is no answer
 * within 5 s.
 */
export function postByTls({ method, url, headers, body }: AwsRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) },
      incoming => {
        text(incoming).then(answer => resolve({ status: incoming.statusCode ?? 0, text: answer }), reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
