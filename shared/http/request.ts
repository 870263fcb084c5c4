// The requests that Lambda passes from a Function URL or an HTTP API (payload format 2.0).
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads
import * as z from 'zod/mini';
import { BodyError, maxBodyBytes } from './body.ts';

const requestSchema = z.object({
  version: z.literal('2.0'),
  rawPath: z._default(z.string(), '/'),
  rawQueryString: z._default(z.string(), ''),
  /** Header names are in lower case. */
  headers: z._default(z.record(z.string(), z.string()), {}),
  requestContext: z.object({ http: z.object({ method: z.string() }) }),
  body: z._default(z.string(), ''),
  isBase64Encoded: z._default(z.boolean(), false),
});

export type HttpRequest = z.infer<typeof requestSchema>;

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns `undefined` if the event is no such request. */
export function parseHttpRequest(event: unknown): HttpRequest | undefined {
  return requestSchema.safeParse(event).data;
}

export function isJsonType({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return /^application\/json *(;|$)/i.test(headers['content-type'] ?? '');
}

/** Throws BodyError. */
export function toBytes({ body, isBase64Encoded }: Pick<HttpRequest, 'body' | 'isBase64Encoded'>): Uint8Array {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) {
    throw new BodyError(413, `The body is larger than ${maxBodyBytes} bytes`);
  }
  return bytes;
}

/** A Status, which the client in the API server logs. */
export function toStatusResponse(
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const isOk = code < 400;
  const status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: isOk ? 'Success' : 'Failure' };
  return {
    statusCode: code,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...status, message, code }),
  };
}
