// The request handler of the server: reads, authenticates, dispatches and answers. Nothing a client sends can throw here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../../shared/kernel/clock.ts';
import type { ApiCore } from '../core/api-core.ts';
import { NoSuchRouteError, StatusError } from '../core/status.ts';
import { lastBookmarkMs } from '../core/watch.ts';
import { unauthorized } from './authorize.ts';
import { answerDocument, isPublic } from './documents.ts';
import { sendReply, toRefusal, type WholeReply } from './reply.ts';
import type { User } from './request.ts';
import { answerResource } from './resources.ts';
import { parsePath } from './route.ts';
import { streamWatch, type WatchReply } from './watch-stream.ts';

export interface Frontend {
  readonly core: ApiCore;
  readonly clock: Clock;
  readonly authenticate: (authorization: string | undefined) => User | undefined;
  /** Ends every watch. */
  readonly stopping: AbortSignal;
  /** How long a watch lasts whose client does not say. */
  readonly watchSeconds: () => number;
  /** Told what was no refusal but a mistake of ours. */
  readonly onMistake: (error: unknown, what: string) => void;
}

const maxBodyBytes = 3 * 1024 * 1024;

type Reply = WholeReply | (WatchReply & { readonly timeoutSeconds: number | undefined });

export function createListener(frontend: Frontend): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void serve(frontend, request, response);
  };
}

async function serve(frontend: Frontend, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = await answer(frontend, request);
  if (reply === undefined || response.destroyed) {
    return;
  }
  if (reply.type === 'whole') {
    sendReply(response, reply, request.method !== 'HEAD');
    return;
  }
  const over = new AbortController();
  const stop = (): void => over.abort();
  response.once('close', stop);
  const { timeoutSeconds = frontend.watchSeconds() } = reply;
  const wholeMs = timeoutSeconds * 1000;
  void frontend.clock.sleep(wholeMs, over.signal).then(stop);
  // A shorter stream has no room for it.
  const nearlyOver =
    wholeMs > lastBookmarkMs
      ? frontend.clock.sleep(wholeMs - lastBookmarkMs, over.signal)
      : new Promise<void>(() => undefined);
  streamWatch(frontend.core, response, reply, { over: AbortSignal.any([over.signal, frontend.stopping]), nearlyOver });
}

/** Undefined when the client went away meanwhile. Never rejects. */
async function answer(frontend: Frontend, request: IncomingMessage): Promise<Reply | undefined> {
  try {
    const body = await readBody(request);
    return body === undefined ? undefined : dispatch(frontend, request, body);
  } catch (error) {
    const reply = toRefusal(error);
    if (reply.code === 500) {
      frontend.onMistake(error, `${request.method} ${request.url}`);
    }
    return reply;
  }
}

function dispatch(frontend: Frontend, incoming: IncomingMessage, body: string): Reply {
  const { url = '/', method = 'GET', headers } = incoming;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const route = parsePath(path);
  const user = frontend.authenticate(headers.authorization);
  if (user === undefined && (route === undefined || !isPublic(route))) {
    throw unauthorized();
  }
  if (route === undefined) {
    throw new NoSuchRouteError();
  }
  const request = {
    method: method === 'HEAD' ? 'GET' : method,
    path,
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    accept: headers.accept,
    contentType: headers['content-type'],
    ifNoneMatch: headers['if-none-match'],
    body,
    user,
  };
  const backend = { core: frontend.core, now: () => frontend.clock.now() };
  return route.type === 'resource'
    ? answerResource(backend, request, route)
    : answerDocument(frontend.core, request, route);
}

/** Undefined when the client goes away. Throws RequestEntityTooLarge. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer; // no encoding is set, so a stream of bytes yields Buffers
      size += bytes.length;
      // What is too large is read to its end all the same: the client would not read an answer before it has sent all.
      if (size <= maxBodyBytes) {
        chunks.push(bytes);
      }
    }
  } catch {
    return undefined;
  }
  if (size > maxBodyBytes) {
    const message = `Request entity is too large: limit is ${maxBodyBytes}`;
    throw new StatusError(413, 'RequestEntityTooLarge', message);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}
