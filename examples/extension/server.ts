// An extension server: HTTPS, Discovery, and one path per handler. It is stateless.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { certify } from './certificate.ts';
import {
  type ExtensionResponse,
  failure,
  fieldsOf,
  type Handler,
  type HookRequest,
  hooksApiVersion,
  success,
} from './protocol.ts';

interface ServerOptions {
  readonly handlers: readonly Handler[];
  /** The IP address to listen on. The certificate is issued for it. */
  readonly address: string;
  /** The port. 0 selects any free port. */
  readonly port: number;
  /** Called after every response. */
  readonly onAnswer?: (path: string, response: ExtensionResponse) => void;
}

export interface ExtensionServer {
  readonly url: string;
  /** The authority that clients must trust, as PEM. Put it into the Secret. */
  authority(): string;
  /** Creates a new authority and a new certificate, like a renewal. Open connections stay open. */
  renew(): Promise<void>;
  stop(): Promise<void>;
}

/** The maximum size of a request. Requests contain whole templates, but they are smaller. */
const mostBytes = 20 * 1024 * 1024;

/** Resolves when the server listens. Rejects if the address or the port is not available. */
export async function startExtensionServer(options: ServerOptions): Promise<ExtensionServer> {
  const { address } = options;
  let certified = await certify(address);
  const answerOf = toRoutes(options.handlers);
  const server = createServer({ cert: certified.certificate, key: certified.privateKey }, (request, response) => {
    void serve(request, response, { ...options, answerOf });
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo; // true: it listens on a port
  return {
    url: `https://${address}:${port}`,
    authority: () => certified.authority,
    renew: async () => {
      certified = await certify(address);
      server.setSecureContext({ cert: certified.certificate, key: certified.privateKey });
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, { address, port }: ServerOptions): Promise<void> {
  server.listen(port, address);
  await once(server, 'listening');
}

type Answer = Handler['answer'];

/** The paths in lower case: hook and handler, or Discovery. */
function toRoutes(handlers: readonly Handler[]): ReadonlyMap<string, Answer> {
  const routes = handlers.map(
    ({ name, hook, answer }) => [`/${hooksApiVersion}/${hook.toLowerCase()}/${name}`, answer] as const,
  );
  return new Map<string, Answer>([[`/${hooksApiVersion}/discovery`, () => discover(handlers)], ...routes]);
}

function discover(handlers: readonly Handler[]): ExtensionResponse {
  return success({
    handlers: handlers.map(({ name, hook, timeoutSeconds, failurePolicy }) => ({
      name,
      requestHook: { apiVersion: hooksApiVersion, hook },
      timeoutSeconds,
      failurePolicy,
    })),
  });
}

interface Serving extends Pick<ServerOptions, 'onAnswer'> {
  readonly answerOf: ReadonlyMap<string, Answer>;
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?');
  const answer = serving.answerOf.get(path);
  if (request.method !== 'POST' || answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  if (!(Number(request.headers['content-length']) <= mostBytes)) {
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  const read = await readRequest(request);
  if (read === undefined) {
    response.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const answered = await answerSafely(answer, read);
  serving.onAnswer?.(path, answered);
  const kind = read.kind.replace(/Request$/, 'Response');
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ apiVersion: hooksApiVersion, kind, ...answered }));
}

/** Returns `undefined` if the text is not a JSON object. */
async function readRequest(request: IncomingMessage): Promise<HookRequest | undefined> {
  try {
    const body = fieldsOf(await json(request));
    const { apiVersion, kind } = body;
    return apiVersion === hooksApiVersion && typeof kind === 'string' ? { ...body, apiVersion, kind } : undefined;
  } catch {
    return undefined;
  }
}

/** If a handler throws, only its request fails. */
async function answerSafely(answer: Answer, request: HookRequest): Promise<ExtensionResponse> {
  try {
    return await answer(request);
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
}
