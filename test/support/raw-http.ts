// A low-level Kubernetes client. Tests see status, headers and text as sent.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** One item per Warning header. */
  readonly warnings: readonly string[];
  readonly text: string;
  /** The parsed text if it is JSON, otherwise undefined. */
  readonly body: unknown;
}

export interface RawWatchEvent {
  readonly type: string;
  readonly object: unknown;
}

export interface RawWatch {
  readonly status: number;
  /**
   * Yields one event per line, until the server ends the stream or `close` is called. Throws if the connection breaks.
   */
  readonly events: AsyncGenerator<RawWatchEvent, void>;
  close(): void;
}

export interface RawOptions {
  readonly query?: Readonly<Record<string, string | number>>;
  /** The content type of the body. Default: application/json. */
  readonly type?: string;
  readonly accept?: string;
  /** The headers in addition to the derived ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Text bodies are sent unchanged, other values as JSON, and `undefined` as no body. */
export interface RawHttp {
  get(path: string, options?: RawOptions): Promise<RawAnswer>;
  post(path: string, body: unknown, options?: RawOptions): Promise<RawAnswer>;
  put(path: string, body: unknown, options?: RawOptions): Promise<RawAnswer>;
  /** Sends a merge patch, unless `type` is set. */
  patch(path: string, body: unknown, options?: RawOptions): Promise<RawAnswer>;
  delete(path: string, body?: unknown, options?: RawOptions): Promise<RawAnswer>;
  /** Resolves when the headers have arrived. */
  watch(path: string, options?: RawOptions): Promise<RawWatch>;
}

interface RawServer {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

const mergePatchType = 'application/merge-patch+json';
export const jsonPatchType = 'application/json-patch+json';
export const applyPatchType = 'application/apply-patch+yaml';

/** Creates a client of one server with one token. Its idle connections do not keep the process running. */
export function createRawHttp(server: RawServer): RawHttp {
  const agent = new Agent({ keepAlive: true, ca: server.caPem });
  const send = async (method: string, path: string, body?: unknown, options: RawOptions = {}): Promise<RawAnswer> =>
    readAnswer(await exchange(server, agent, { method, path, body, options }));
  return {
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, { type: mergePatchType, ...options }),
    delete: (path, body, options) => send('DELETE', path, body, options),
    async watch(path, options = {}) {
      const query = { watch: 'true', ...options.query };
      return toWatch(await exchange(server, agent, { method: 'GET', path, options: { ...options, query } }));
    },
  };
}

function toWatch(response: IncomingMessage): RawWatch {
  let closed = false;
  return {
    status: response.statusCode ?? 0,
    events: readEvents(response, () => closed),
    close() {
      closed = true;
      response.destroy();
    },
  };
}

interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options: RawOptions;
}

function exchange(
  server: RawServer,
  agent: Agent,
  { method, path, body, options }: Outgoing,
): Promise<IncomingMessage> {
  const url = new URL(path, server.url);
  for (const [key, value] of Object.entries(options.query ?? {})) {
    url.searchParams.set(key, String(value));
  }
  const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const sendsContent = content !== undefined || options.type !== undefined;
  const headers = {
    authorization: `Bearer ${server.token}`,
    accept: options.accept ?? 'application/json',
    ...options.headers,
    ...(sendsContent ? { 'content-type': options.type ?? 'application/json' } : {}),
    ...(sendsContent ? { 'content-length': String(Buffer.byteLength(content ?? '')) } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, resolve);
    sent.on('error', cause => reject(new Error(`${method} ${url.href}: ${cause.message}`, { cause })));
    sent.end(content);
  });
}

async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const content = await text(response);
  const isJson = (response.headers['content-type'] ?? '').startsWith('application/json') && content !== '';
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    warnings: response.headersDistinct['warning'] ?? [],
    text: content,
    body: isJson ? JSON.parse(content) : undefined,
  };
}

async function* readEvents(response: IncomingMessage, isClosed: () => boolean): AsyncGenerator<RawWatchEvent, void> {
  let rest = '';
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        yield toEvent(line);
      }
    }
  } catch (error) {
    if (!isClosed()) {
      throw error;
    }
  }
}

function toEvent(line: string): RawWatchEvent {
  const event: unknown = JSON.parse(line);
  if (!isEvent(event)) {
    throw new Error(`A watch stream holds a line that is not an event: ${line}`);
  }
  return event;
}

function isEvent(value: unknown): value is RawWatchEvent {
  return typeof value === 'object' && value !== null && 'type' in value && 'object' in value;
}
