// HTTP/1.1 over kept-alive sockets to one endpoint, with node:https alone: no other library starts as fast.
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Endpoint } from '../credentials/credentials.ts';
import type { Lost } from './failures.ts';

export interface Limits {
  /** From the start of a request until it is on its way: a free socket, name, connection, TLS. */
  readonly connectTimeoutMs: number;
  /** From there until its answer is complete. The API server itself gives up after 60 s. */
  readonly requestTimeoutMs: number;
  /** Largest answer, and largest event of a watch. */
  readonly maxAnswerBytes: number;
  /** Sockets for everything but watches; further requests wait. By default about what a batch of ten keys reads at once. */
  readonly maxSockets: number;
  /** Turns the server's name into addresses; by default as the system does. Not asked where the server is an address. */
  readonly lookup?: LookupFunction;
}

export const defaultLimits: Limits = {
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  maxAnswerBytes: 64 * 1024 * 1024,
  maxSockets: 64,
};

export interface Outgoing {
  readonly method: string;
  /** With query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is handed to a connected socket. */
  readonly onSent?: () => void;
}

export interface Incoming {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** `reused`: the socket had served before, and not a byte of an answer came: it was most likely dead already. */
export type Exchange = { readonly answer: Incoming } | { readonly lost: Lost & { readonly reused: boolean } };

/** An open answer whose body is read as it comes. The caller destroys `body`. */
export interface OpenStream {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: IncomingMessage;
}

/**
 * Servers and gateways close idle sockets, some after a minute and some silently, so we are quicker. A frozen process
 * has no timers: after a pause of this length all idle sockets are dropped, by the wall clock, as the monotonic one may
 * stand still meanwhile.
 */
const idleLimitMs = 30_000;

/** Idle time before TCP asks whether the other side is still there: notices a dead watch. */
const keepAliveProbeMs = 15_000;

/** All sockets to one endpoint. */
export class Connection {
  readonly #endpoint: Endpoint;
  readonly #limits: Limits;
  readonly #request: typeof httpsRequest;
  readonly #agent: HttpAgent;
  readonly #watchAgent: HttpAgent;
  readonly #base: { readonly hostname: string; readonly port: string; readonly prefix: string };
  readonly #connected = new WeakSet<Socket>();
  #usedAt = Date.now();

  constructor(endpoint: Endpoint, limits: Limits) {
    const url = new URL(endpoint.server);
    const isPlain = url.protocol === 'http:';
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#request = isPlain ? httpRequest : httpsRequest;
    this.#base = {
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (isPlain ? '80' : '443') : url.port,
      prefix: url.pathname.replace(/\/+$/, ''),
    };
    const newAgent = (maxSockets: number): HttpAgent => {
      // The timeout ends sockets that nobody uses; requests have their own timers.
      const options = { keepAlive: true, keepAliveMsecs: keepAliveProbeMs, maxSockets, timeout: idleLimitMs };
      return isPlain ? new HttpAgent(options) : new HttpsAgent({ ...options, ...toTlsOptions(endpoint) });
    };
    this.#agent = newAgent(limits.maxSockets);
    this.#watchAgent = newAgent(Number.POSITIVE_INFINITY);
  }

  get endpoint(): Endpoint {
    return this.#endpoint;
  }

  /** Never rejects. */
  exchange(outgoing: Outgoing): Promise<Exchange> {
    return new Promise(resolve => {
      const sending = this.#start(outgoing, this.#agent);
      const finish = (exchange: Exchange): void => {
        sending.end();
        resolve(exchange);
      };
      sending.request.on('error', error => finish({ lost: sending.toLost(error) }));
      sending.request.on('response', response => {
        sending.began = true;
        void collect(inflated(response), this.#limits.maxAnswerBytes).then(
          text => finish({ answer: { ...toHead(response), text } }),
          (error: unknown) => {
            sending.request.destroy();
            finish({ lost: sending.toLost(error) });
          },
        );
      });
    });
  }

  /** Resolves with the head of the answer; the body is read as it comes, with no time limit. Never rejects. */
  open(outgoing: Outgoing): Promise<OpenStream | { readonly lost: Lost }> {
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

  /** Closes the sockets that serve nobody at the moment. */
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
      ...(this.#limits.lookup === undefined ? {} : { lookup: this.#limits.lookup }),
      ...(outgoing.signal === undefined ? {} : { signal: outgoing.signal }),
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

/** How far one request has come, and the time it has left. */
class Sending {
  readonly request: ClientRequest;
  reused = false;
  began = false;
  readonly #outgoing: Outgoing;
  readonly #limits: Limits;
  #sent = false;
  #timer: NodeJS.Timeout | undefined;
  #timeout: string | undefined;

  constructor(request: ClientRequest, outgoing: Outgoing, limits: Limits) {
    this.request = request;
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#limit(limits.connectTimeoutMs, 'no free connection');
  }

  markSent(): void {
    this.#sent = true;
    this.#limit(this.#limits.requestTimeoutMs, 'no complete answer');
    this.#outgoing.onSent?.();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  toLost(error: unknown): Lost & { readonly reused: boolean } {
    const cause =
      this.#timeout === undefined
        ? describeLoss(error, this.#outgoing.signal, this.began)
        : ({ why: 'timeout', message: this.#timeout } as const);
    return { ...cause, sent: this.#sent, reused: this.reused && !this.began };
  }

  #limit(ms: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timeout = `${what} within ${ms / 1000} s`;
      this.request.destroy(new Error(this.#timeout));
    }, ms);
  }
}

function toTlsOptions(endpoint: Endpoint) {
  return {
    ...(endpoint.ca === undefined ? {} : { ca: endpoint.ca }),
    ...(endpoint.clientCertificate === undefined ? {} : { cert: endpoint.clientCertificate }),
    ...(endpoint.clientKey === undefined ? {} : { key: endpoint.clientKey }),
    ...(endpoint.serverName === undefined ? {} : { servername: endpoint.serverName }),
    rejectUnauthorized: !endpoint.insecureSkipTlsVerify,
  };
}

function toHead(response: IncomingMessage): Omit<Incoming, 'text'> {
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
}

/** Only who asked for gzip is sent it. What it grows to counts, not what travels. */
function inflated(response: IncomingMessage): Readable {
  // What breaks the one ends the other; whoever reads is told.
  return response.headers['content-encoding'] === 'gzip' ? pipeline(response, createGunzip(), () => {}) : response;
}

class TooLargeError extends Error {}

/** The whole body as text. Rejects when it is cut off or larger than `maxBytes`. */
export async function collect(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = chunk as Buffer; // no encoding is set, so a stream of bytes yields Buffers
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) {
      throw new TooLargeError(`the answer is larger than ${maxBytes} bytes`);
    }
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/** What an error on the way means; `began`: a part of the answer had come. */
export function describeLoss(error: unknown, signal: AbortSignal | undefined, began: boolean): Omit<Lost, 'sent'> {
  if (signal?.aborted === true) {
    return { why: 'aborted', message: 'aborted before an answer came' };
  }
  if (error instanceof TooLargeError) {
    return { why: 'too large', message: error.message };
  }
  const message = error instanceof Error ? toMessage(error) : String(error);
  return began ? { why: 'truncated', message: `the answer was cut off (${message})` } : { why: 'connection', message };
}

/** Several addresses may have been tried: their errors come bundled, with an empty message. */
function toMessage(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  const message = error.message === '' ? code : error.message;
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}
