// Sends one request of the port: credentials, safe retries, request facts, and the answer as data.
import {
  type Answer,
  type ApiFailure,
  answered,
  groupOf,
  pluralOf,
  refused,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type RequestFact, requestSent, requests } from '../../diagnostics/channels.ts';
import type { Access, Credentials } from '../credentials/credentials.ts';
import {
  Connection,
  type ConnectionLimits,
  type Exchange,
  type Incoming,
  type OpenStream,
  type Outgoing,
} from './connection.ts';
import { type ConnectionLoss, type RequestSummary, toFailure, toLostFailure } from './failures.ts';
import { countValues, type KeptFields, keepFields } from './json-bytes.ts';
import { problemOf, type QueryParameters, type RequestTarget, toLabel, toPath, toQueryString } from './urls.ts';

export interface AnswerSize {
  readonly bytes: number;
  readonly values: number;
}

/** One request, as the port's methods describe it. */
export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'patch' | 'apply' | 'delete';
  readonly target: RequestTarget;
  readonly query?: QueryParameters;
  readonly accept?: string;
  /** The fields to keep of a successful answer. Default: all. */
  readonly keep?: KeptFields;
  /** The maximum number of JSON values of the answer. Default: 400,000. */
  readonly mostValues?: number;
  /** Called with the size of a successful answer that is not too large, without the fields that are not kept. */
  readonly onSize?: (size: AnswerSize) => void;
  readonly body?: { readonly type: string; readonly json: unknown };
  /** The object's name if the target has none, as for creates. */
  readonly objectName?: string;
}

/** The progress of the answer to one request. */
export interface AnswerProgress {
  /** Called when the head of an answer arrives. */
  readonly onHead?: (status: number) => void;
}

interface RequesterOptions {
  readonly credentials: Credentials;
  readonly client: string;
  readonly userAgent: string;
  readonly limits: ConnectionLimits;
}

const methods = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<ApiCall['verb'], string>;

const reads: ReadonlySet<ApiCall['verb']> = new Set(['get', 'list', 'watch']);

export class Requester {
  readonly #options: RequesterOptions;
  #connection: Connection | undefined;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /** Returns the parsed JSON of the answer, or a failure. */
  async send(call: ApiCall, signal: AbortSignal | undefined, progress: AnswerProgress = {}): Promise<Answer<unknown>> {
    const summary = toSummary(call);
    const problem = problemOf(call.target);
    if (problem !== undefined) {
      return refused({ reason: 'BadRequest', message: `${summary.label}: ${problem}` });
    }
    if (signal?.aborted === true) {
      return refused(toLostFailure(neverSent, summary));
    }
    const exchange = await this.#exchange(call, { signal, ...progress });
    return 'lost' in exchange ? refused(toLostFailure(exchange.lost, summary)) : this.#toAnswer(call, exchange.answer);
  }

  /** Returns the open answer to a watch, with any status. A call of `close` publishes its request fact. */
  async open(
    call: ApiCall,
    signal: AbortSignal,
  ): Promise<{ readonly stream: OpenStream | { readonly lost: ConnectionLoss }; readonly close: () => void }> {
    const access = await this.#options.credentials.current();
    const report = this.#reporter(call);
    let stream = await this.#open(access, call, { signal, onSent: report.sent });
    if ('status' in stream && stream.status === 401 && (await this.#options.credentials.refresh())) {
      stream.body.destroy();
      stream = await this.#open(await this.#options.credentials.current(), call, { signal });
    }
    const code = 'status' in stream ? stream.status : 0;
    return { stream, close: () => report.ended(code) };
  }

  #toAnswer(call: ApiCall, { status, retryAfter, body: bytes }: Incoming): Answer<unknown> {
    const summary = toSummary(call);
    const isSuccess = status >= 200 && status <= 299;
    const { keep, mostValues } = call;
    const parsed = parseBounded(isSuccess && keep !== undefined ? keepFields(bytes, keep) : bytes, mostValues);
    if (!isSuccess) {
      const body = parsed.json ?? bytes.toString('utf8', 0, mostErrorBytes);
      return refused(toFailure({ status, retryAfter, body }, summary));
    }
    if (parsed.json !== undefined) {
      call.onSize?.(parsed.size);
      return answered(parsed.json);
    }
    const reason = summary.isWrite ? 'UnknownOutcome' : 'InternalError';
    return parsed.tooLarge
      ? refused({ ...toTooManyValues(summary, mostValues), reason, code: status })
      : refused({ reason, code: status, message: `${summary.label}: the answer ${status} is not JSON` });
  }

  /** Closes the sockets that currently have no request. */
  dropIdleSockets(): void {
    this.#connection?.dropIdleSockets();
  }

  #open(
    access: Access,
    call: ApiCall,
    more: Partial<Outgoing>,
  ): Promise<OpenStream | { readonly lost: ConnectionLoss }> {
    return this.#connectionTo(access).open({ ...this.#outgoing(call, access), ...more });
  }

  /**
   * After a 401, retries a request once with new credentials, because the server executed nothing. If a reused socket
   * was closed, retries a read once on a new socket. A write with an unknown outcome is never retried here.
   */
  async #exchange(call: ApiCall, more: Partial<Outgoing>): Promise<Exchange> {
    const { credentials } = this.#options;
    let exchange = await this.#exchangeOnce(call, more);
    if ('lost' in exchange && exchange.lost.why === 'connection' && exchange.lost.reused && reads.has(call.verb)) {
      this.dropIdleSockets();
      exchange = await this.#exchangeOnce(call, more);
    }
    if ('answer' in exchange && exchange.answer.status === 401 && (await credentials.refresh())) {
      exchange = await this.#exchangeOnce(call, more);
    }
    return exchange;
  }

  async #exchangeOnce(call: ApiCall, more: Partial<Outgoing>): Promise<Exchange> {
    const access = await this.#options.credentials.current();
    const report = this.#reporter(call);
    const outgoing = { ...this.#outgoing(call, access), ...more, onSent: report.sent };
    const exchange = await this.#connectionTo(access).exchange(outgoing);
    report.ended('answer' in exchange ? exchange.answer.status : 0);
    return exchange;
  }

  #connectionTo({ endpoint }: Access): Connection {
    if (this.#connection?.endpoint !== endpoint) {
      this.#connection?.dropIdleSockets();
      this.#connection = new Connection(endpoint, this.#options.limits);
    }
    return this.#connection;
  }

  #outgoing(call: ApiCall, { authorization, endpoint }: Access): Outgoing {
    const { query = {}, body, accept = 'application/json', target } = call;
    const text = body === undefined ? undefined : JSON.stringify(body.json);
    const isSafe = endpoint.server.startsWith('https:');
    return {
      method: methods[call.verb],
      path: `${toPath(target)}${toQueryString(query)}`,
      owner: target.namespace,
      headers: {
        accept,
        'user-agent': this.#options.userAgent,
        ...(authorization === undefined || !isSafe ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': body.type }),
        // kube-apiserver compresses lists of 128 KiB and more.
        ...(call.verb === 'list' ? { 'accept-encoding': 'gzip' } : {}),
        ...(text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
      },
      body: text,
    };
  }

  #reporter(call: ApiCall): { readonly sent: () => void; readonly ended: (code: number) => void } {
    if (!requestSent.hasSubscribers && !requests.hasSubscribers) {
      return { sent: () => {}, ended: () => {} };
    }
    const startedAt = performance.now();
    const subject = { ...toSubject(call), startedAt, client: this.#options.client };
    return {
      sent: () => requestSent.publish(subject),
      ended: code => requests.publish({ ...subject, code, endedAt: performance.now() } satisfies RequestFact),
    };
  }
}

const neverSent: ConnectionLoss = { why: 'aborted', sent: false, message: 'aborted before it was sent' };

export function toSummary({ verb, target, objectName }: ApiCall): RequestSummary {
  return {
    label: toLabel(verb, { ...target, name: target.name ?? objectName }),
    isWrite: !reads.has(verb),
    isSecret: target.kind === 'Secret' && target.apiVersion === 'v1',
  };
}

function toSubject(call: ApiCall): Omit<RequestFact, 'code' | 'startedAt' | 'endedAt' | 'client'> {
  const { apiVersion, kind, namespace, subresource } = call.target;
  const name = call.target.name ?? call.objectName;
  return {
    verb: call.verb,
    group: groupOf(apiVersion),
    resource: `${pluralOf(kind)}${subresource === undefined ? '' : `/${subresource}`}`,
    ...withoutUndefined({ namespace, name }),
    dryRun: call.query?.['dryRun'] !== undefined,
  };
}

/**
 * The maximum number of JSON values of an answer or event, counted before it is parsed. A value takes up to 60 bytes
 * after parsing, so an answer takes up to 24 MiB. An object of etcd has at most 1.5 MiB, and the fields of Cluster API
 * have more than ten bytes per value.
 */
const mostAnswerValues = 400_000;

/** The part of an error that is not JSON, of which a failure quotes the first line. */
const mostErrorBytes = 4096;

/** The failure of an answer or event that would take too much memory after parsing. */
export function toTooManyValues({ label }: RequestSummary, most = mostAnswerValues): ApiFailure {
  return {
    reason: 'InternalError',
    message: `${label}: the answer has more than ${most} JSON values`,
    tooLarge: true,
  };
}

interface ParsedAnswer {
  /** Undefined if the text is not JSON, or if it has too many values. The latter is not parsed. */
  readonly json?: unknown;
  readonly tooLarge: boolean;
  readonly size: AnswerSize;
}

export function parseBounded(bytes: Buffer, most = mostAnswerValues): ParsedAnswer {
  const size = { bytes: bytes.length, values: countValues(bytes, most) };
  if (size.values > most) {
    return { tooLarge: true, size };
  }
  try {
    return { json: JSON.parse(bytes.toString('utf8')), tooLarge: false, size };
  } catch {
    return { tooLarge: false, size };
  }
}
