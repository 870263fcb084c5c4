// Refusals of requests that API servers send to functions.
import type { Log } from '@capi-serverless/reconciler';
import { type Metrics, refusedMessages } from '../kernel/metrics.ts';
import { type HttpResponse, toStatusResponse } from './request.ts';

interface Refusing {
  readonly functionName: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Counts and logs a request that is refused before it is served. Returns its answer. */
export function refuseRequest(
  { functionName, log, metrics }: Refusing,
  ...[code, message, headers]: Parameters<typeof toStatusResponse>
): HttpResponse {
  metrics.count(refusedMessages, { controller: functionName, reason: String(code) });
  log.info('Refusing a request', { code, answer: message });
  return toStatusResponse(code, message, headers);
}
