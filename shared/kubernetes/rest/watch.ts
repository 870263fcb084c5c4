// The stream of one watch. Parses JSON lines to events and handles each way in which a stream can end.
import {
  type ApiFailure,
  isJsonObject,
  type WatchEvent,
  type Watches,
  type WatchQuery,
} from '@capi-serverless/apimachinery';
import { collect } from './answer-body.ts';
import { toUnstructured } from './bodies.ts';
import { describeLoss, type OpenStream } from './connection.ts';
import { type RequestSummary, toFailure, toLostFailure, toStreamFailure } from './failures.ts';
import { type KeptFields, keepFields, objectFields, toKeptFields } from './json-bytes.ts';
import { type ApiCall, parseBounded, type Requester, toSummary, toTooManyValues } from './requester.ts';
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
      yield* readEvents(stream, { query, summary: toSummary(call), signal, maxEventBytes: options.maxEventBytes });
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
  const bytes = await collect(stream.body, maxBytes).catch(() => Buffer.alloc(0));
  const body = parseBounded(bytes).json ?? bytes.toString();
  return toFailure({ status: stream.status, retryAfter: stream.retryAfter, body }, summary);
}

interface Reading {
  readonly query: WatchQuery;
  readonly summary: RequestSummary;
  readonly signal: AbortSignal;
  readonly maxEventBytes: number;
}

async function* readEvents(stream: OpenStream, reading: Reading): AsyncGenerator<WatchElement> {
  const { summary, signal, maxEventBytes } = reading;
  try {
    for await (const line of readLines(stream, maxEventBytes)) {
      const element = toElement(line, reading);
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
async function* readLines({ body }: OpenStream, maxBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let rest = chunk as Buffer; // true: no encoding is set, so a stream of bytes yields Buffers
    for (let end = rest.indexOf(lineEnd); end !== -1; end = rest.indexOf(lineEnd)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]);
      rest = rest.subarray(end + 1);
      parts = [];
      size = 0;
      if (line.length > 0) {
        yield line;
      }
    }
    parts.push(rest);
    size += rest.length;
    if (size > maxBytes) {
      throw new Error(`an event is larger than ${maxBytes} bytes`);
    }
  }
}

/** Returns only the metadata of an object whose requested fields are too large, so that the watch goes on after it. */
function toElement(line: Buffer, reading: Reading): WatchElement {
  const { query, summary } = reading;
  const { parts } = query;
  const whole = parseBounded(parts === undefined ? line : keepFields(line, toEventFields(parts)));
  const parsed = whole.tooLarge ? parseBounded(keepFields(line, metadataOfEvent)) : whole;
  const { type, object } = isJsonObject(parsed.json) ? parsed.json : {};
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: toUnstructured(object, query), ...(whole.tooLarge ? { detail: 'metadata' } : {}) };
    case 'BOOKMARK':
      return { type, resourceVersion: toUnstructured(object, query).metadata.resourceVersion };
    case 'ERROR':
      return failed(toStreamFailure(object, summary));
    default:
      return failed(
        parsed.tooLarge
          ? toTooManyValues(summary)
          : { reason: 'Unparsable', message: `${summary.label}: the stream holds something that is not an event` },
      );
  }
}

/** The object of an ERROR event is a Status, which is kept. */
function toEventFields(parts: readonly string[]): KeptFields {
  const fields = [...objectFields, ...statusFields, ...parts];
  return toKeptFields(['type', ...fields.map(field => `object.${field}`)]);
}

const statusFields = ['code', 'reason', 'message', 'details'];
/** The fields of an event whose object is only metadata. */
const metadataOfEvent = toEventFields([]);

const lineEnd = 0x0a;

function failed(failure: ApiFailure): WatchElement {
  return { type: 'FAILED', failure };
}
