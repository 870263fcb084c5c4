// The adapter of the hooks port. It sends POST requests over kept-alive TLS connections, with limits on time and size,
// and follows no redirects.
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
import { readJson } from '../rules/read-json.ts';
import { endedMeanwhile, shortageOfTime } from '../time-left.ts';
import { toAuthorities } from './authorities.ts';
import { type CurrentCertificate, createCurrentCertificate } from './client-certificate.ts';
import { toLossProblem, toStatusProblem } from './failures.ts';
import { type HookAttempt, recordAttempt } from './hook-metrics.ts';
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
