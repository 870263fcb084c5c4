// The adapter of the hooks port. It sends POST requests over kept-alive TLS connections, with limits on time and size,
// and follows no redirects.
import { X509Certificate } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { type Checked, type Clock, invalid, valid } from '@capi-serverless/apimachinery';
import { toError } from '@capi-serverless/reconciler';
import { createSecretReader, type ReadSecret } from '../../aws/secrets.ts';
import type { ExtensionSettings } from '../../config/env.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Exchange as HttpExchange } from '../../kubernetes/rest/connection.ts';
import { routableLookup, whyUnroutable } from '../../kubernetes/rest/routable.ts';
import { userAgent } from '../../kubernetes/rest/version.ts';
import { createResponseMemory } from '../memory.ts';
import type { Exchanged, ExchangeLimits, HookExchange, Hooks } from '../port.ts';
import { hooksGroup } from '../rules/hook.ts';
import { readJson } from '../rules/read-json.ts';
import { toKept } from '../rules/response.ts';
import { endedMeanwhile, shortageOfTime } from '../time-left.ts';
import { type CurrentCertificate, createCurrentCertificate } from './client-certificate.ts';
import { ConnectionPool, type Peer } from './pool.ts';

export interface HookClientOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly settings: ExtensionSettings;
  readonly readSecret?: ReadSecret;
  /** Resolves host names. The default depends on the settings. */
  readonly lookup?: LookupFunction;
}

/**
 * Create one client per process, because it caches connections and responses. Its connections do not keep the process
 * running.
 */
export function createHooks(options: HookClientOptions): Hooks {
  const { clock, settings, readSecret = createSecretReader() } = options;
  const client = new HookClient(options, createCurrentCertificate(settings.certificate, { clock, readSecret }));
  return {
    services: settings.services,
    memory: createResponseMemory(clock),
    exchange: (exchange, limits) => client.exchange(exchange, limits),
  };
}

class HookClient {
  readonly #options: Pick<HookClientOptions, 'clock' | 'metrics' | 'settings'>;
  readonly #currentCertificate: CurrentCertificate;
  readonly #pool: ConnectionPool;

  constructor(options: HookClientOptions, currentCertificate: CurrentCertificate) {
    this.#options = options;
    const isFree = options.settings.addresses === 'any';
    this.#pool = new ConnectionPool(options.lookup ?? (isFree ? undefined : routableLookup));
    this.#currentCertificate = currentCertificate;
  }

  async exchange(exchange: HookExchange, limits: ExchangeLimits): Promise<Exchanged> {
    const { clock, metrics } = this.#options;
    const peer = await this.#peerOf(exchange);
    if (!peer.ok) {
      return { ok: false, why: 'client', error: `failed to get http client: ${peer.error}` };
    }
    const startedAt = clock.now();
    const shortage = shortageOfTime(exchange, { now: startedAt, deadline: limits.deadline });
    if (shortage !== undefined || limits.signal.aborted) {
      return { ok: false, why: 'time', error: shortage ?? endedMeanwhile };
    }
    const { exchanged, attempt } = await this.#post(peer.value, exchange, limits.signal);
    recordAttempt(metrics, exchange, { ...attempt, seconds: (clock.now() - startedAt) / 1000 });
    return exchanged;
  }

  async #peerOf({ url, caBundle }: HookExchange): Promise<Checked<Peer>> {
    const authorities = toAuthorities(caBundle);
    if (!authorities.ok) {
      return authorities;
    }
    const { hostname, origin } = new URL(url);
    const isFree = this.#options.settings.addresses === 'any';
    const refusal = isFree ? undefined : whyUnroutable(hostname.replace(/^\[|\]$/g, ''));
    if (refusal !== undefined) {
      return invalid(refusal);
    }
    try {
      const clientCertificate = await this.#currentCertificate();
      return valid({ origin, authorities: authorities.value, clientCertificate });
    } catch (error) {
      return invalid(toError(error).message);
    }
  }

  /** The timeout covers DNS, connection, request and response. */
  async #post(
    peer: Peer,
    exchange: HookExchange,
    signal: AbortSignal,
  ): Promise<{ readonly exchanged: Exchanged; readonly attempt: Omit<HookAttempt, 'seconds'> }> {
    const timeout = new AbortController();
    const settled = new AbortController();
    const slept = this.#options.clock.sleep(exchange.timeoutSeconds * 1000, settled.signal).then(() => {
      if (!settled.signal.aborted) {
        timeout.abort();
      }
    });
    const http = await this.#send(peer, exchange, AbortSignal.any([signal, timeout.signal]));
    settled.abort();
    await slept;
    if ('lost' in http) {
      const attempt = { code: undefined };
      if (signal.aborted && !timeout.signal.aborted) {
        return { exchanged: { ok: false, why: 'time', error: endedMeanwhile }, attempt };
      }
      const message = timeout.signal.aborted ? 'http request timeout expired' : http.lost.message;
      return { exchanged: { ok: false, why: 'exchange', error: toLossProblem(exchange.url, message) }, attempt };
    }
    const { status, body } = http.answer;
    const exchanged = toExchanged(status, body.toString());
    return { exchanged, attempt: { code: status, ...(exchanged.ok ? { body: exchanged.body } : {}) } };
  }

  /**
   * A call is retried only if a kept-alive connection was closed before any byte of an answer. Handlers are idempotent.
   */
  async #send(peer: Peer, exchange: HookExchange, signal: AbortSignal): Promise<HttpExchange> {
    const connection = this.#pool.to(peer);
    const outgoing = { ...toOutgoing(exchange), signal };
    const http = await connection.exchange(outgoing);
    if ('lost' in http && http.lost.why === 'connection' && http.lost.reused) {
      connection.dropIdleSockets();
      return connection.exchange(outgoing);
    }
    return http;
  }
}

function toOutgoing({ url, body }: HookExchange) {
  const { pathname, search } = new URL(url);
  const text = JSON.stringify(body);
  return {
    method: 'POST',
    path: `${pathname}${search}`,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': userAgent,
      'content-length': String(Buffer.byteLength(text)),
    },
    body: text,
  };
}

function toExchanged(status: number, text: string): Exchanged {
  if (status !== 200) {
    return { ok: false, why: 'exchange', error: toStatusProblem(status, text) };
  }
  const json = readJson(text);
  return json.ok
    ? { ok: true, body: json.value }
    : { ok: false, why: 'exchange', error: `http call failed: failed to decode response: ${json.error}` };
}

/**
 * Returns the readable certificates as PEM. Empty input returns empty output. As in upstream, fails if no certificate
 * is readable.
 */
function toAuthorities(caBundle: string): Checked<string> {
  if (caBundle === '') {
    return valid('');
  }
  const blocks = caBundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const certificates = blocks.filter(isCertificate);
  return certificates.length === 0
    ? invalid('spec.clientConfig.caBundle holds no certificate that can be read')
    : valid(certificates.join('\n'));
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

/** OpenSSL codes for a certificate without a known authority. */
const untrusted = /\b(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY)\w*)\b/;
/** OpenSSL messages start with a thread number, which would make each message unique. */
const threadNumber = /\b[0-9A-F]{8,16}:(?=error:)/g;
const unknownName = /\b(ENOTFOUND|EAI_AGAIN)\b/;

/** The text for a status code other than 200, with the start of the answer. */
function toStatusProblem(status: number, text: string): string {
  const shown = JSON.stringify(toKept(text));
  return `http call failed: got response with status code ${status} != 200: response : ${shown}`;
}

/** The text for a missing or incomplete answer, with a remedy. */
function toLossProblem(url: string, message: string): string {
  const { hostname } = new URL(url);
  const line = toKept(message).replaceAll(threadNumber, '').replaceAll(/\s+/g, ' ').trim();
  const text = `http call failed: Post "${url}": ${line}`;
  if (untrusted.test(message)) {
    return `${text}; its certificate is not of an authority in spec.clientConfig.caBundle`;
  }
  if (unknownName.test(message) && hostname.endsWith('.svc')) {
    return `${text}; CAPI_EXTENSION_SERVICES=dns takes a name server that knows the Services of the cluster, or use spec.clientConfig.url`;
  }
  return text;
}

const hookRequests = 'capi_runtime_sdk_requests_total';
const hookSeconds = 'capi_runtime_sdk_request_duration_seconds';

/**
 * Known values of `status`. Other values share one label, so that an extension cannot create an unlimited number of
 * labels.
 */
const statuses: ReadonlySet<string> = new Set(['Success', 'Failure', '']);

interface HookAttempt {
  /** `undefined` without an answer. */
  readonly code: number | undefined;
  /** The decoded body, if there is one. */
  readonly body?: unknown;
  readonly seconds: number;
}

/** Records one HTTP attempt, before a failure policy applies. */
function recordAttempt(metrics: Metrics, { url, version, hook }: HookExchange, attempt: HookAttempt): void {
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
