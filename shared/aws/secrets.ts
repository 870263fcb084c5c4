// Reads one secret of Secrets Manager by a signed request: a client package of its own would cost every cold start.
// https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { toError } from '../kernel/errors.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { type AwsIdentity, type AwsRequest, createAwsIdentity, toServiceUrl } from './identity.ts';

/** A secret that was not read: which, and what Secrets Manager answered. Never holds its value. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export type Post = (request: AwsRequest) => Promise<HttpAnswer>;

export type ReadSecret = (arn: string) => Promise<string>;

export interface SecretsOptions {
  readonly identity?: AwsIdentity;
  readonly post?: Post;
}

const timeoutMs = 5_000;

const valueSchema = z.object({ SecretString: z.optional(z.string()), SecretBinary: z.optional(z.string()) });
const refusalSchema = z.object({
  __type: z.string(),
  message: z.optional(z.string()),
  Message: z.optional(z.string()),
});

/** Reads the present version of a secret, each time anew. Rejects with SecretError. */
export function createSecretReader({
  identity = createAwsIdentity(),
  post = postByTls,
}: SecretsOptions = {}): ReadSecret {
  return async arn => {
    const refuse = (problem: string, cause?: unknown): SecretError =>
      new SecretError(`Reading secret ${arn} failed: ${problem}`, { cause });
    const answer = await ask(arn, { identity, post }).catch(cause => {
      throw refuse(toError(cause).message, cause);
    });
    if (answer.status !== 200) {
      throw refuse(toProblem(answer));
    }
    const value = toValue(answer.text);
    if (value === undefined) {
      throw refuse('the answer holds no value');
    }
    return value;
  };
}

async function ask(arn: string, { identity, post }: Required<SecretsOptions>): Promise<HttpAnswer> {
  // The secret may live in another region than the function.
  const region = arn.split(':')[3] ?? (await identity.region());
  const unsigned: AwsRequest = {
    method: 'POST',
    url: toServiceUrl('secretsmanager', region),
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: JSON.stringify({ SecretId: arn }),
  };
  const purpose = { service: 'secretsmanager', region, at: systemClock.now() };
  return post({ ...unsigned, headers: await identity.sign(unsigned, purpose) });
}

/** Code and message of the service, whose text never quotes a value. */
function toProblem({ status, text: body }: HttpAnswer): string {
  const { __type: type, message, Message } = refusalSchema.safeParse(parse(body)).data ?? {};
  const code = type?.split('#').at(-1);
  return [String(status), code, message ?? Message].filter(Boolean).join(' ');
}

function toValue(body: string): string | undefined {
  const { SecretString: plain, SecretBinary: binary } = valueSchema.safeParse(parse(body)).data ?? {};
  return plain ?? (binary === undefined ? undefined : Buffer.from(binary, 'base64').toString('utf8'));
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** One request on a socket of its own: secrets are read once in minutes. Rejects when no whole answer comes within 5 s. */
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
