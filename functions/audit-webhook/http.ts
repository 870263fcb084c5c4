// Serves the audit webhook of an API server through a Lambda Function URL (payload format 2.0).
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads

import { hash, timingSafeEqual } from 'node:crypto';
import { type Log, toError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { type Metrics, refusedMessages } from '../../shared/kernel/metrics.ts';
import type { Tokens } from '../../shared/lambda/tokens.ts';
import { BodyError, decodeBody, inflateBody, maxBodyBytes, parseJson } from './body.ts';
import { type AuditEvent, auditApiVersion, parseAuditEvent, parseEventList } from './event.ts';

const requestSchema = z.object({
  version: z.literal('2.0'),
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

interface WebhookOptions {
  readonly functionName: string;
  readonly tokens: Tokens;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Rejects if the API server must send the events again. */
  readonly enqueueEvents: (events: readonly AuditEvent[]) => Promise<unknown>;
}

/** A limit above any batch size: the API server buffers 10,000 events and sends 400 per batch by default. */
export const maxEvents = 10_000;

/** Returns `undefined` if the event is not a request of a Function URL. */
export function parseHttpRequest(event: unknown): HttpRequest | undefined {
  return requestSchema.safeParse(event).data;
}

/**
 * Answers 2xx only after the queues have accepted every message. After any other answer, the API server sends the body
 * again, up to five times. Never rejects.
 */
export async function serveHttp(options: WebhookOptions, request: HttpRequest): Promise<HttpResponse> {
  try {
    return (await refuseUnread(options, request)) ?? (await serveBody(options, request));
  } catch (thrown) {
    if (thrown instanceof BodyError) {
      return refuse(options, thrown.code, thrown.message);
    }
    options.log.error('Accepting audit events failed, requesting redelivery', toError(thrown));
    return reply(503, 'The events could not be enqueued; the reason is in the log of this function');
  }
}

/** Checks the token first, then the other headers. Does not read the body. */
async function refuseUnread(options: WebhookOptions, request: HttpRequest): Promise<HttpResponse | undefined> {
  const { headers } = request;
  if (!isAuthentic(headers['authorization'], await options.tokens.current())) {
    return refuse(options, 401, 'The bearer token is missing or wrong', { 'www-authenticate': 'Bearer' });
  }
  if (request.requestContext.http.method !== 'POST') {
    return refuse(options, 405, 'Only POST is served here', { allow: 'POST' });
  }
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    return refuse(options, 415, 'The content type must be application/json');
  }
  return encodings.has(encodingOf(request))
    ? undefined
    : refuse(options, 415, 'The content encoding must be gzip or none');
}

const encodings: ReadonlySet<string> = new Set(['', 'identity', 'gzip']);

function encodingOf({ headers }: HttpRequest): string {
  return (headers['content-encoding'] ?? '').trim().toLowerCase();
}

async function serveBody(options: WebhookOptions, request: HttpRequest): Promise<HttpResponse> {
  const bytes = toBytes(request);
  const plain = encodingOf(request) === 'gzip' ? await inflateBody(bytes) : bytes;
  const events = toEvents(options, parseJson(decodeBody(plain)));
  await options.enqueueEvents(events);
  return reply(200, 'Taken in');
}

/** Throws BodyError. */
function toBytes({ body, isBase64Encoded }: HttpRequest): Uint8Array {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) {
    throw new BodyError(413, `The body is larger than ${maxBodyBytes} bytes`);
  }
  return bytes;
}

/** Throws BodyError. Items that are not events are counted and dropped, so that they do not block the others. */
function toEvents({ metrics, functionName, log }: WebhookOptions, body: unknown): readonly AuditEvent[] {
  const items = parseEventList(body);
  if (items === undefined) {
    throw new BodyError(400, `The body is not an EventList of ${auditApiVersion}`);
  }
  if (items.length > maxEvents) {
    throw new BodyError(413, `The list holds ${items.length} events, more than ${maxEvents}`);
  }
  const events = items.map(parseAuditEvent).filter(event => event !== undefined);
  const unreadable = items.length - events.length;
  for (let refused = 0; refused < unreadable; refused += 1) {
    metrics.count(refusedMessages, { controller: functionName, reason: 'unreadable' });
  }
  if (unreadable > 0 && events.length === 0) {
    throw new BodyError(400, `None of the ${items.length} items is an Event of ${auditApiVersion}`);
  }
  if (unreadable > 0) {
    log.error('Dropping items that are not audit events', undefined, { unreadable, events: events.length });
  }
  return events;
}

function refuse(
  { metrics, functionName, log }: WebhookOptions,
  ...[code, message, headers]: Parameters<typeof reply>
): HttpResponse {
  metrics.count(refusedMessages, { controller: functionName, reason: String(code) });
  log.info('Refusing a request', { code, answer: message });
  return reply(code, message, headers);
}

/** The body is a Status, because the client in the API server logs a Status. */
function reply(code: number, message: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const isOk = code < 400;
  const status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: isOk ? 'Success' : 'Failure' };
  return {
    statusCode: code,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...status, message, code }),
  };
}

const bearer = /^Bearer +([^\s]+)$/i;

/** Checks the bearer token before any other part is read. Compares in constant time, so that response times reveal nothing about a token. */
export function isAuthentic(authorization: string | undefined, tokens: readonly string[]): boolean {
  const [, presented] = bearer.exec(authorization ?? '') ?? [];
  // timingSafeEqual needs inputs of equal length, so digests are compared.
  const digest = hash('sha256', presented ?? '', 'buffer');
  const matches = tokens.filter(token => timingSafeEqual(hash('sha256', token, 'buffer'), digest));
  return presented !== undefined && matches.length > 0;
}
