// HTTP/1.1 over kept-alive connections to one endpoint. Uses only node:https, because other libraries take longer to
// load.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { toLimitedText, withoutUndefined } from '@capi-serverless/apimachinery';
import { FairPermits } from '../../kernel/fair-permits.ts';
import type { ApiServerEndpoint } from '../credentials/credentials.ts';
import { collect, inflated, newLargeAnswers, TooLargeError } from './answer-body.ts';
import type { ConnectionLoss } from './failures.ts';

export interface ConnectionLimits {
  /** The limit from the start of a request until it is sent: free socket, DNS, TCP, TLS. */
  readonly connectTimeoutMs: number;
  /** The limit from sending a request until the answer is complete. The limit of the API server is 60 s. */
  readonly requestTimeoutMs: number;
  /** The maximum size of an answer, and of an event of a watch. */
  readonly maxAnswerBytes: number;
  /**
   * The maximum number of sockets for all requests except watches. Further requests wait, in turns of their owners. The
   * default is suitable for a batch of ten keys.
   */
  readonly maxSockets: number;
  /** The permits of large answers, which several connections share. Default: large answers need no permit. */
  readonly largeAnswers?: FairPermits;
  /**
   * Resolves the host name of the server. Default: the system's resolver. Not called if the server is an IP address.
   */
  readonly lookup?: LookupFunction;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: ConnectionLimits = {
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  maxAnswerBytes: 8 * mebibyte,
  maxSockets: 64,
  largeAnswers: newLargeAnswers(),
};

export interface Outgoing {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The namespace of the object. Owners take turns if they wait for a socket. Default: that of requests without one. */
  readonly owner?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is written to a connected socket. */
  readonly onSent?: () => void;
  /** Called when the head of the answer arrives. */
  readonly onHead?: (status: number) => void;
}

export interface Incoming {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/**
 * `reused`: the socket had served a request before. If the connection is lost without an answer (`connection`), the
 * server has probably closed the socket.
 */
export type Exchange = { readonly answer: Incoming } | { readonly lost: ConnectionLoss & { readonly reused: boolean } };

/** An open answer whose body is streamed. The caller destroys `body`. */
export interface OpenStream {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: IncomingMessage;
}

/**
 * Servers and gateways close idle sockets, some after a minute and some without a message. This limit is shorter. In a
 * frozen process no timers run. After a pause of this length, all idle sockets are dropped. The pause is measured by
 * the wall clock, because the monotonic clock may stop.
 */
const idleLimitMs = 30_000;

/** The idle time before TCP keep-alive probes, which detect a broken watch. */
const keepAliveProbeMs = 15_000;

/** All sockets to one endpoint. */
export class Connection {
  readonly #endpoint: ApiServerEndpoint;
  readonly #limits: ConnectionLimits;
  readonly #request: typeof httpsRequest;
  readonly #agent: HttpAgent;
  readonly #watchAgent: HttpAgent;
  readonly #base: { readonly hostname: string; readonly port: string; readonly prefix: string };
  readonly #connected = new WeakSet<Socket>();
  readonly #sockets: FairPermits;
  #usedAt = Date.now();

  constructor(endpoint: ApiServerEndpoint, limits: ConnectionLimits) {
    const url = new URL(endpoint.server);
    const isPlain = url.protocol === 'http:';
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#request = isPlain ? httpRequest : httpsRequest;
    this.#base = {
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (isPlain ? '80' : '443') : url.port,
      prefix: url.pathname.replace(/(?<!\/)\/+$/, ''),
    };
    const newAgent = (maxSockets: number): HttpAgent => {
      // The timeout closes idle sockets. Requests have their own timers.
      const options = { keepAlive: true, keepAliveMsecs: keepAliveProbeMs, maxSockets, timeout: idleLimitMs };
      return isPlain ? new HttpAgent(options) : new HttpsAgent({ ...options, ...toTlsOptions(endpoint) });
    };
    this.#agent = newAgent(limits.maxSockets);
    this.#sockets = new FairPermits(limits.maxSockets);
    this.#watchAgent = newAgent(Number.POSITIVE_INFINITY);
  }

  get endpoint(): ApiServerEndpoint {
    return this.#endpoint;
  }

  /** Never rejects. */
  async exchange(outgoing: Outgoing): Promise<Exchange> {
    if (!this.#sockets.tryAcquire() && !(await this.#waitForSocket(outgoing))) {
      const { signal } = outgoing;
      const lost = signal?.aborted === true ? describeLoss(undefined, signal, false) : noFreeSocket(this.#limits);
      return { lost: { ...lost, sent: false, reused: false } };
    }
    try {
      return await this.#exchangeNow(outgoing);
    } finally {
      this.#sockets.release();
    }
  }

  #waitForSocket({ owner = '', signal }: Outgoing): Promise<boolean> {
    const late = AbortSignal.timeout(this.#limits.connectTimeoutMs);
    return this.#sockets.acquire(owner, signal === undefined ? late : AbortSignal.any([signal, late]));
  }

  #exchangeNow(outgoing: Outgoing): Promise<Exchange> {
    return new Promise(resolve => {
      const sending = this.#start(outgoing, this.#agent);
      const finish = (exchange: Exchange): void => {
        sending.end();
        resolve(exchange);
      };
      sending.request.on('error', error => finish({ lost: sending.toLost(error) }));
      sending.request.on('response', response => {
        sending.began = true;
        outgoing.onHead?.(response.statusCode ?? 0);
        const beginLarge = (): Promise<() => void> => this.#beginLarge(outgoing, sending);
        void collect(inflated(response), this.#limits.maxAnswerBytes, beginLarge).then(
          body => {
            finish({ answer: { ...toHead(response), body } });
          },
          (error: unknown) => {
            sending.request.destroy();
            finish({ lost: sending.toLost(error) });
          },
        );
      });
    });
  }

  /** Waits for a permit without a time limit of the request, and returns a function that releases it. */
  async #beginLarge({ owner = '', signal = neverAborted }: Outgoing, sending: Sending): Promise<() => void> {
    const { largeAnswers } = this.#limits;
    if (largeAnswers === undefined) {
      return () => {};
    }
    if (!largeAnswers.tryAcquire()) {
      sending.end();
      if (!(await largeAnswers.acquire(`${this.#endpoint.server} ${owner}`, signal))) {
        return () => {};
      }
      sending.limitAnswer();
    }
    return () => largeAnswers.release();
  }

  /** Resolves with the head of the answer. The body is streamed without a time limit. Never rejects. */
  open(outgoing: Outgoing): Promise<OpenStream | { readonly lost: ConnectionLoss }> {
    return new Promise(resolve => {
      const sending = this.#start(outgoing, this.#watchAgent);
      sending.request.on('error', error => {
        sending.end();
        resolve({ lost: sending.toLost(error) });
      });
      sending.request.on('response', response => {
        sending.end();
        resolve({ ...toHead(response), body: response });
      });
    });
  }

  /** Closes the sockets that currently have no request. */
  dropIdleSockets(): void {
    for (const agent of [this.#agent, this.#watchAgent]) {
      for (const socket of Object.values(agent.freeSockets).flatMap(sockets => sockets ?? [])) {
        socket.destroy();
      }
    }
  }

  #start(outgoing: Outgoing, agent: HttpAgent): Sending {
    if (Date.now() - this.#usedAt > idleLimitMs) {
      this.dropIdleSockets();
    }
    this.#usedAt = Date.now();
    const { hostname, port, prefix } = this.#base;
    const request = this.#request({
      agent,
      hostname,
      port,
      method: outgoing.method,
      path: `${prefix}${outgoing.path}`,
      headers: outgoing.headers,
      ...withoutUndefined({ lookup: this.#limits.lookup, signal: outgoing.signal }),
    });
    const sending = new Sending(request, outgoing, this.#limits);
    request.on('socket', socket => {
      if (this.#connected.has(socket)) {
        sending.reused = true;
        sending.markSent();
      } else {
        socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
          this.#connected.add(socket);
          sending.markSent();
        });
      }
    });
    request.end(outgoing.body);
    return sending;
  }
}

const neverAborted = new AbortController().signal;

const withoutSocket = 'no free connection';

function noFreeSocket({ connectTimeoutMs }: ConnectionLimits): Omit<ConnectionLoss, 'sent'> {
  return { why: 'timeout', message: toTimeout(withoutSocket, connectTimeoutMs) };
}

function toTimeout(what: string, ms: number): string {
  return `${what} within ${ms / 1000} s`;
}

/** The progress of one request and its time limit. */
class Sending {
  readonly request: ClientRequest;
  reused = false;
  began = false;
  readonly #outgoing: Outgoing;
  readonly #limits: ConnectionLimits;
  #sent = false;
  #timer: NodeJS.Timeout | undefined;
  #timeout: string | undefined;

  constructor(request: ClientRequest, outgoing: Outgoing, limits: ConnectionLimits) {
    this.request = request;
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#limit(limits.connectTimeoutMs, withoutSocket);
  }

  markSent(): void {
    this.#sent = true;
    this.limitAnswer();
    this.#outgoing.onSent?.();
  }

  /** Starts the time limit of the answer. */
  limitAnswer(): void {
    this.#limit(this.#limits.requestTimeoutMs, 'no complete answer');
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  toLost(error: unknown): ConnectionLoss & { readonly reused: boolean } {
    const cause =
      this.#timeout === undefined
        ? describeLoss(error, this.#outgoing.signal, this.began)
        : ({ why: 'timeout', message: this.#timeout } as const);
    return { ...cause, sent: this.#sent, reused: this.reused };
  }

  #limit(ms: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timeout = toTimeout(what, ms);
      this.request.destroy(new Error(this.#timeout));
    }, ms);
  }
}

function toTlsOptions(endpoint: ApiServerEndpoint) {
  return {
    ...withoutUndefined({
      ca: endpoint.ca,
      cert: endpoint.clientCertificate,
      key: endpoint.clientKey,
      servername: endpoint.serverName,
    }),
    rejectUnauthorized: !endpoint.insecureSkipTlsVerify,
  };
}

function toHead(response: IncomingMessage): Omit<Incoming, 'body'> {
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
}

/** The maximum length of an error. An error of a certificate contains all names of the certificate. */
const longestError = 1024;

/** Maps a transport error to its meaning. `began`: a part of the answer had arrived. */
export function describeLoss(
  error: unknown,
  signal: AbortSignal | undefined,
  began: boolean,
): Omit<ConnectionLoss, 'sent'> {
  if (signal?.aborted === true) {
    return { why: 'aborted', message: 'aborted before an answer came' };
  }
  if (error instanceof TooLargeError) {
    return { why: 'too large', message: error.message };
  }
  const message = toLimitedText(error instanceof Error ? toMessage(error) : String(error), longestError);
  return began ? { why: 'truncated', message: `the answer was cut off (${message})` } : { why: 'connection', message };
}

/** If several addresses were tried, Node combines their errors in one error with an empty message. */
function toMessage(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  const message = error.message === '' ? code : error.message;
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}
