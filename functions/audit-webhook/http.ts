// Serves the audit webhook of an API server through a Lambda Function URL (payload format 2.0).
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-payloads

import { type Log, toError } from '@capi-serverless/reconciler';
import { BodyError, decodeBody, inflateBody, parseJson } from '../../shared/http/body.ts';
import { matchesToken } from '../../shared/http/match-token.ts';
import { refuseRequest } from '../../shared/http/refuse-request.ts';
import {
  type HttpRequest,
  type HttpResponse,
  isJsonType,
  toBytes,
  toStatusResponse,
} from '../../shared/http/request.ts';
import { type Metrics, refusedMessages } from '../../shared/kernel/metrics.ts';
import type { Tokens } from '../../shared/lambda/tokens.ts';
import { type AuditEvent, auditApiVersion, parseAuditEvent, parseEventList } from './event.ts';

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

/**
 * Answers 2xx only after the queues have accepted every message. After any other answer, the API server sends the body
 * again, up to five times. Never rejects.
 */
export async function serveHttp(options: WebhookOptions, request: HttpRequest): Promise<HttpResponse> {
  try {
    return (await refuseUnread(options, request)) ?? (await serveBody(options, request));
  } catch (thrown) {
    if (thrown instanceof BodyError) {
      return refuseRequest(options, thrown.code, thrown.message);
    }
    options.log.error('Accepting audit events failed, requesting redelivery', toError(thrown));
    return toStatusResponse(503, 'The events could not be enqueued; the reason is in the log of this function');
  }
}

/** Checks the token first, then the other headers. Does not read the body. */
async function refuseUnread(options: WebhookOptions, request: HttpRequest): Promise<HttpResponse | undefined> {
  const { headers } = request;
  if (!isAuthentic(headers['authorization'], await options.tokens.current())) {
    return refuseRequest(options, 401, 'The bearer token is missing or wrong', { 'www-authenticate': 'Bearer' });
  }
  if (request.requestContext.http.method !== 'POST') {
    return refuseRequest(options, 405, 'Only POST is served here', { allow: 'POST' });
  }
  if (!isJsonType(request)) {
    return refuseRequest(options, 415, 'The content type must be application/json');
  }
  return encodings.has(encodingOf(request))
    ? undefined
    : refuseRequest(options, 415, 'The content encoding must be gzip or none');
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
  return toStatusResponse(200, 'Taken in');
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

const bearer = /^Bearer +([^\s]+)$/i;

/** Checks the bearer token before any other part is read. */
export function isAuthentic(authorization: string | undefined, tokens: readonly string[]): boolean {
  const [, presented = ''] = bearer.exec(authorization ?? '') ?? [];
  return matchesToken(presented, tokens);
}
