// Serves the page on the loopback address, for programs and pages of this machine only.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onLoopbackOnly, readBody } from '@capi-serverless/apiserver/http';
import { toError } from '@capi-serverless/reconciler';
import * as z from 'zod/mini';
import { listenOnLoopback } from '../../local/loopback.ts';
import type { Assets } from '../../local/page/assets.ts';
import { UsageError } from '../../local/usage-error.ts';
import { setNewest } from '../../shared/bounded-map.ts';
import { toDocument } from './document.ts';
import { changesBetween, type Fragments } from './fragments.ts';
import type { Html } from './html.ts';
import type { NamedObject } from './object-panel.ts';

export interface PageContent {
  readonly assets: Assets;
  /** The current state of all parts. */
  fragments(): Fragments;
  /** Returns `undefined` for an object that the page does not show. */
  panel(of: NamedObject): Promise<Html | undefined>;
  plan(change: { readonly text: string; readonly reconciler: string }): Promise<string>;
}

export interface PageServer {
  readonly url: string;
  /** Sends to each open page what has changed. */
  refresh(): void;
  /** Whether a page is open. */
  isWatched(): boolean;
  stop(): Promise<void>;
}

/** Pages that were loaded and have not connected yet. */
const mostSessions = 32;
const mostBodyBytes = 1024 * 1024;
/** A comment that keeps the connection alive, and finds pages that are gone. */
const heartbeatMs = 15_000;

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const planSchema = z.object({ text: z.string(), reconciler: z.string() });

interface OpenPage {
  readonly response: ServerResponse;
  shown: Fragments;
  /** The page does not read as fast as the state changes. It gets the state that is then the latest. */
  isBehind: boolean;
}

/** Listens at once. Throws UsageError if the port is in use. 0 selects any free port. */
export async function servePage(content: PageContent, { port }: { readonly port: number }): Promise<PageServer> {
  const sessions = new Map<string, Fragments>();
  const pages = new Set<OpenPage>();
  const server = createServer(
    onLoopbackOnly((request, response) => {
      void answer({ content, sessions, pages }, request, response).catch((thrown: unknown) => {
        send(response, 500, 'text/plain', `${thrown instanceof Error ? thrown.message : thrown}\n`);
      });
    }),
  );
  await listenOnLoopback(server, port).catch(cause => {
    throw new UsageError(`The page cannot listen on port ${port}: ${toError(cause).message}`, { cause });
  });
  const heartbeat = setInterval(() => {
    for (const { response } of pages) {
      response.write(':\n\n');
    }
  }, heartbeatMs);
  heartbeat.unref();
  // True: a server that listens on a port has an address of this type.
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/`,
    refresh() {
      if (pages.size > 0) {
        const now = content.fragments();
        for (const page of pages) {
          update(page, now, content);
        }
      }
    },
    isWatched: () => pages.size > 0,
    stop() {
      clearInterval(heartbeat);
      return new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

interface Serving {
  readonly content: PageContent;
  readonly sessions: Map<string, Fragments>;
  readonly pages: Set<OpenPage>;
}

async function answer(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (isForeign(request)) {
    send(response, 403, 'text/plain', 'Only the page itself may ask\n');
    return;
  }
  const { content } = serving;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /':
      send(response, 200, 'text/html', openDocument(serving));
      return;
    case 'GET /page.js':
      send(response, 200, 'text/javascript', content.assets.script);
      return;
    case 'GET /page.css':
      send(response, 200, 'text/css', content.assets.style);
      return;
    case 'GET /changes':
      stream(serving, url.searchParams.get('session') ?? '', response);
      return;
    case 'GET /object':
      await sendPanel(content, url.searchParams, response);
      return;
    case 'POST /plan':
      await sendPlan(content, request, response);
      return;
    default:
      send(response, 404, 'text/plain', 'There is no such page\n');
  }
}

/** Other sites may link to the page, and nothing else. */
function isForeign({
  headers: { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode },
}: IncomingMessage): boolean {
  const isOther = origin !== undefined && origin !== `http://${host}`;
  const isAsked = site !== undefined && site !== 'same-origin' && site !== 'none';
  return isOther || (isAsked && mode !== 'navigate');
}

function openDocument({ content, sessions }: Serving): string {
  const fragments = content.fragments();
  const session = randomUUID();
  setNewest(sessions, session, fragments, mostSessions);
  return toDocument(fragments, session);
}

/** A page whose state is not known, for instance after a restart, gets everything. */
function stream({ content, sessions, pages }: Serving, session: string, response: ServerResponse): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
  const known = sessions.get(session);
  sessions.delete(session);
  const page: OpenPage = { response, shown: known ?? new Map(), isBehind: false };
  pages.add(page);
  response.once('close', () => pages.delete(page));
  response.write(`event: ${known === undefined ? 'reset' : 'open'}\ndata: {}\n\n`);
  update(page, content.fragments(), content);
}

function update(page: OpenPage, now: Fragments, content: PageContent): void {
  const { response } = page;
  if (response.writableNeedDrain) {
    if (!page.isBehind) {
      response.once('drain', () => {
        page.isBehind = false;
        update(page, content.fragments(), content);
      });
    }
    page.isBehind = true;
    return;
  }
  const changes = changesBetween(page.shown, now);
  page.shown = now;
  if (changes.length > 0) {
    response.write(`event: changes\ndata: ${JSON.stringify(changes)}\n\n`);
  }
}

async function sendPanel(content: PageContent, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const part = (key: string): string => query.get(key) ?? '';
  const panel = await content.panel({ kind: part('kind'), namespace: part('namespace'), name: part('name') });
  if (panel === undefined) {
    send(response, 404, 'text/plain', 'The page does not show this object\n');
  } else {
    send(response, 200, 'text/html', panel.toString());
  }
}

async function sendPlan(content: PageContent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers['content-type'] !== 'application/json') {
    send(response, 415, 'text/plain', 'The body must be JSON\n');
    return;
  }
  const body = await readBody(request, mostBodyBytes);
  const parsed = planSchema.safeParse(body instanceof Buffer ? parse(body.toString('utf8')) : undefined);
  if (!parsed.success) {
    send(response, 400, 'text/plain', 'The body must have text and reconciler, and at most 1 MiB\n');
    return;
  }
  send(response, 200, 'text/plain', await content.plan(parsed.data));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (!response.headersSent) {
    response.writeHead(status, { ...headers, 'content-type': `${type}; charset=utf-8` });
  }
  response.end(body);
}
