// The stream of one watch. Parses JSON lines to events and handles each way in which a stream can end.
import {
  type ApiFailure,
  isJsonObject,
  type WatchEvent,
  type Watches,
  type WatchQuery,
} from '@capi-serverless/apimachinery';
import { toUnstructured } from './bodies.ts';
import { collect, describeLoss, type OpenStream } from './connection.ts';
import { type RequestSummary, toFailure, toLostFailure, toStreamFailure } from './failures.ts';
import { type ApiCall, parseJson, type Requester, toSummary } from './requester.ts';
import { problemOf, toFieldSelector, toLabelSelector } from './urls.ts';

type WatchElement = WatchEvent | { readonly type: 'FAILED'; readonly failure: ApiFailure };
type WatchOptions = Parameters<Watches['watch']>[1];

/** The default duration of a watch. It is the minimum of client-go's informers. */
const defaultTimeoutSeconds = 300;
/** If a server has not ended the stream after this time, it is treated as unreachable. */
const overtimeSeconds = 15;

export const metadataAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Implements `Watches.watch` of the port. */
export async function* watch(
  requester: Requester,
  query: WatchQuery,
  options: WatchOptions & { readonly maxEventBytes: number },
): AsyncGenerator<WatchElement> {
  if (options.signal.aborted) {
    return;
  }
  const timeoutSeconds = options.timeoutSeconds ?? defaultTimeoutSeconds;
  const call = toCall(query, options.resourceVersion, timeoutSeconds);
  const problem = problemOf(call.target);
  if (problem !== undefined) {
    yield failed({ reason: 'BadRequest', message: `${toSummary(call).label}: ${problem}` });
    return;
  }
  const overtime = new AbortController();
  const timer = setTimeout(() => overtime.abort(), (timeoutSeconds + overtimeSeconds) * 1000);
  const signal = AbortSignal.any([options.signal, overtime.signal]);
  const { stream, close } = await requester.open(call, signal);
  try {
    if ('lost' in stream) {
      yield* signal.aborted ? [] : [failed(toLostFailure(stream.lost, toSummary(call)))];
    } else if (stream.status !== 200) {
      yield failed(await readRefusal(stream, toSummary(call), options.maxEventBytes));
    } else {
      yield* readEvents(stream, { query, summary: toSummary(call), signal, maxBytes: options.maxEventBytes });
    }
  } finally {
    clearTimeout(timer);
    close();
  }
}

function toCall(query: WatchQuery, resourceVersion: string, timeoutSeconds: number): ApiCall {
  const { apiVersion, kind, namespace } = query;
  return {
    verb: 'watch',
    target: { apiVersion, kind, namespace },
    query: {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion,
      timeoutSeconds,
      labelSelector: toLabelSelector(query.labels, query.withLabels),
      fieldSelector: toFieldSelector(query.fields),
    },
    ...(query.as === 'metadata' ? { accept: metadataAccept } : {}),
  };
}

async function readRefusal(stream: OpenStream, summary: RequestSummary, maxBytes: number): Promise<ApiFailure> {
  const text = await collect(stream.body, maxBytes).catch(() => '');
  return toFailure({ status: stream.status, retryAfter: stream.retryAfter, body: parseJson(text) ?? text }, summary);
}

interface Reading {
  readonly query: WatchQuery;
  readonly summary: RequestSummary;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

async function* readEvents(stream: OpenStream, reading: Reading): AsyncGenerator<WatchElement> {
  const { query, summary, signal } = reading;
  try {
    for await (const line of readLines(stream, reading.maxBytes)) {
      const element = toElement(line, query, summary);
      yield element;
      if (element.type === 'FAILED' || signal.aborted) {
        return;
      }
    }
  } catch (error) {
    if (!signal.aborted) {
      yield failed(toLostFailure({ ...describeLoss(error, signal, true), sent: true }, summary));
    }
  }
}

/** Returns complete lines without their line end. An incomplete line is kept until the rest arrives. */
async function* readLines({ body }: OpenStream, maxBytes: number): AsyncGenerator<string> {
  body.setEncoding('utf8');
  let parts: string[] = [];
  let size = 0;
  for await (const chunk of body) {
    const lines = String(chunk).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const whole = [...parts, line].join('');
      parts = [];
      size = 0;
      if (whole !== '') {
        yield whole;
      }
    }
    parts.push(rest);
    size += rest.length;
    if (size > maxBytes) {
      throw new Error(`an event is larger than ${maxBytes} bytes`);
    }
  }
}

function toElement(line: string, query: WatchQuery, summary: RequestSummary): WatchElement {
  const event = parseJson(line);
  const { type, object } = isJsonObject(event) ? event : {};
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: toUnstructured(object, query) };
    case 'BOOKMARK':
      return { type, resourceVersion: toUnstructured(object, query).metadata.resourceVersion };
    case 'ERROR':
      return failed(toStreamFailure(object, summary));
    default:
      return failed({
        reason: 'Unparsable',
        message: `${summary.label}: the stream holds something that is not an event`,
      });
  }
}

function failed(failure: ApiFailure): WatchElement {
  return { type: 'FAILED', failure };
}
