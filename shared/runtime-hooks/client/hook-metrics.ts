// Metrics of extension server calls, with upstream's names.
import type { Metrics } from '../../kernel/metrics.ts';
import type { HookExchange } from '../port.ts';
import { hooksGroup } from '../rules/hook.ts';

const hookRequests = 'capi_runtime_sdk_requests_total';
const hookSeconds = 'capi_runtime_sdk_request_duration_seconds';

/**
 * Known values of `status`. Other values share one label, so that an extension cannot create an unlimited number of
 * labels.
 */
const statuses: ReadonlySet<string> = new Set(['Success', 'Failure', '']);

export interface HookAttempt {
  /** `undefined` without an answer. */
  readonly code: number | undefined;
  /** The decoded body, if there is one. */
  readonly body?: unknown;
  readonly seconds: number;
}

/** Records one HTTP attempt, before a failure policy applies. */
export function recordAttempt(metrics: Metrics, { url, version, hook }: HookExchange, attempt: HookAttempt): void {
  const { hostname, port } = new URL(url);
  const labels = { host: `${hostname}:${port === '' ? '443' : port}`, group: hooksGroup, version, hook };
  const code = attempt.code === undefined ? '<error>' : String(attempt.code);
  metrics.count(hookRequests, { ...labels, code, status: toStatusLabel(attempt.body) });
  metrics.observe(hookSeconds, labels, attempt.seconds);
}

function toStatusLabel(body: unknown): string {
  const status = typeof body === 'object' && body !== null && 'status' in body ? body.status : '';
  if (typeof status !== 'string' || !statuses.has(status)) {
    return 'Other';
  }
  return status === '' ? 'Unknown' : status;
}
