// The request handler of the server: reads, authenticates, dispatches and responds. It never throws because of client
// input.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@capi-serverless/apimachinery';
import type { Auditor } from '../audit/auditor.ts';
import type { AuditedResponse } from '../audit/event.ts';
import type { ApiCore } from '../core/api-core.ts';
import { NoSuchRouteError, StatusError } from '../core/status.ts';
import { lastBookmarkMs } from '../core/watch.ts';
import { unauthorized } from './authorize.ts';
import { answerDocument, isPublic } from './documents.ts';
import { parseMediaType } from './negotiate.ts';
import { decodeProtobuf, protobufType } from './protobuf.ts';
import { readBody } from './read-body.ts';
import { sendReply, toRefusal, type WholeReply } from './reply.ts';
import type { ApiRequest, UserInfo } from './request.ts';
import { answerResource } from './resources.ts';
import { parsePath } from './route.ts';
import { streamWatch, type WatchReply } from './watch-stream.ts';

interface Frontend {
  readonly core: ApiCore;
  readonly clock: Clock;
  readonly authenticate: (authorization: string | undefined) => UserInfo | undefined;
  /** Ends all watches. */
  readonly stopping: AbortSignal;
  /** The duration of a watch without a timeout parameter. */
  readonly watchSeconds: () => number;
  /** If present, records every request. */
  readonly auditor?: Auditor | undefined;
  /** Called with internal errors. */
  readonly onUnexpectedError: (error: unknown, what: string) => void;
}

const maxBodyBytes = 3 * 1024 * 1024;

type Reply = WholeReply | (WatchReply & { readonly timeoutSeconds: number | undefined });

export function createListener(frontend: Frontend): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void serve(frontend, request, response);
  };
}

async function serve(frontend: Frontend, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { clock, auditor } = frontend;
  const auditId = auditIdOf(incoming);
  const receivedAt = clock.now();
  response.setHeader('Audit-Id', auditId);
  const body = await readBody(incoming, maxBodyBytes);
  if (body === undefined || response.destroyed) {
    return;
  }
  const { url: uri = '/', socket } = incoming;
  const read = body === 'too large' ? tooLarge : toText(body, incoming.headers['content-type']);
  const request = toRequest(frontend, incoming, read);
  const sourceIp = socket.remoteAddress ?? '';
  const record = auditor?.begin({
    auditId,
    request,
    uri,
    sourceIp,
    userAgent: request.userAgent,
    receivedAt,
  });
  const reply = answer(frontend, request, read.problem);
  if (reply.type === 'whole') {
    sendReply(response, reply, incoming.method !== 'HEAD');
    record?.completed(toAnswered(reply));
    return;
  }
  record?.started();
  response.once('close', () => record?.completed({ code: 200 }));
  serveWatch(frontend, response, reply);
}

interface ReadBody extends Pick<ApiRequest, 'body' | 'contentType'> {
  /** Why the request is refused. */
  readonly problem?: unknown;
}

const tooLarge: ReadBody = {
  body: '',
  contentType: undefined,
  problem: new StatusError(413, 'RequestEntityTooLarge', `Request entity is too large: limit is ${maxBodyBytes}`),
};

/** A body in the binary format becomes JSON, if its kind is known. Never throws. */
function toText(body: Buffer, contentType: string | undefined): ReadBody {
  if (parseMediaType(contentType ?? '').type !== protobufType || body.length === 0) {
    return { body: body.toString('utf8'), contentType };
  }
  try {
    const decoded = decodeProtobuf(body);
    return decoded === undefined
      ? { body: '', contentType }
      : { body: JSON.stringify(decoded), contentType: 'application/json' };
  } catch (problem) {
    return { body: '', contentType, problem };
  }
}

/** A client may set the audit id to find its request in the audit log. */
function auditIdOf({ headers }: IncomingMessage): string {
  const given = headers['audit-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,64}$/.test(given) ? given : randomUUID();
}

function toAnswered({ code, body, encoding }: WholeReply): AuditedResponse {
  return encoding === 'text' ? { code } : { code, responseObject: body };
}

function serveWatch(frontend: Frontend, response: ServerResponse, reply: Exclude<Reply, WholeReply>): void {
  const over = new AbortController();
  const stop = (): void => over.abort();
  response.once('close', stop);
  const { timeoutSeconds = frontend.watchSeconds() } = reply;
  const wholeMs = timeoutSeconds * 1000;
  void frontend.clock.sleep(wholeMs, over.signal).then(stop);
  // The minimum duration of a stream with a last bookmark.
  const nearlyOver =
    wholeMs > lastBookmarkMs
      ? frontend.clock.sleep(wholeMs - lastBookmarkMs, over.signal)
      : new Promise<void>(() => undefined);
  streamWatch(frontend.core, response, reply, { over: AbortSignal.any([over.signal, frontend.stopping]), nearlyOver });
}

function toRequest(
  frontend: Frontend,
  { url = '/', method = 'GET', headers }: IncomingMessage,
  { body, contentType }: ReadBody,
): ApiRequest {
  const mark = url.indexOf('?');
  return {
    method: method === 'HEAD' ? 'GET' : method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    accept: headers.accept,
    contentType,
    ifNoneMatch: headers['if-none-match'],
    userAgent: headers['user-agent'] ?? '',
    body,
    user: frontend.authenticate(headers.authorization),
  };
}

/** Never throws. */
function answer(frontend: Frontend, request: ApiRequest, problem: unknown): Reply {
  try {
    if (problem !== undefined) {
      throw problem;
    }
    return dispatch(frontend, request);
  } catch (error) {
    const reply = toRefusal(error);
    if (!(error instanceof StatusError) && reply.code === 500) {
      frontend.onUnexpectedError(error, `${request.method} ${request.path}`);
    }
    return reply;
  }
}

function dispatch(frontend: Frontend, request: ApiRequest): Reply {
  const route = parsePath(request.path);
  if (request.user === undefined && (route === undefined || !isPublic(route))) {
    throw unauthorized();
  }
  if (route === undefined) {
    throw new NoSuchRouteError();
  }
  const backend = { core: frontend.core, now: () => frontend.clock.now() };
  return route.type === 'resource'
    ? answerResource(backend, request, route)
    : answerDocument(frontend.core, request, route);
}
