import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { html } from '../../../../cli/ui/html.ts';
import { type PageServer, servePage } from '../../../../cli/ui/page-server.ts';
import { UsageError } from '../../../../local/usage-error.ts';

let server: PageServer;
let state: Map<string, string>;

beforeEach(async () => {
  state = new Map([
    ['summary', '<p id="summary">1 Cluster</p>'],
    ['cluster-ns.a', '<details id="cluster-ns.a">a</details>'],
    ['path', '<div id="path"></div>'],
  ]);
  server = await servePage(
    {
      assets: { script: 'script', style: 'style' },
      fragments: () => new Map(state),
      panel: async ({ kind, name }) => (kind === 'Secret' ? undefined : html`<h2>${kind} ${name}</h2>`),
      plan: async ({ text: change, reconciler }) => {
        if (change === 'broken') {
          throw new Error('a defect');
        }
        return `${reconciler}: ${change}`;
      },
    },
    { port: 0 },
  );
});

afterEach(() => server.stop());

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const sent = request(new URL(path, server.url), { method, headers }, resolve).once('error', reject);
  sent.end(body);
  const response = await promise;
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

const json = { 'content-type': 'application/json' };

describe('the page', () => {
  it('shows the state, and allows only what it brings itself', async () => {
    const page = await ask('/');
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.text).toContain('<div id="clusters"><details id="cluster-ns.a">a</details></div>');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(page.text).not.toMatch(/ on\w+=|<script>|https?:/);
    expect((await ask('/page.js')).text).toBe('script');
    expect((await ask('/page.css')).text).toBe('style');
    expect((await ask('/nowhere')).status).toBe(404);
  });

  it.each([
    { headers: { host: 'example.com' }, status: 421, reason: 'a name of another host' },
    { headers: { origin: 'http://example.com' }, status: 403, reason: 'a script of another site' },
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, status: 403, reason: 'an image there' },
    { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, status: 200, reason: 'a link' },
    { headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, status: 200, reason: 'the page' },
  ])('answers $status to $reason', async ({ headers, status }) => {
    expect((await ask('/', { headers })).status).toBe(status);
  });

  it('cannot be served twice on one port', async () => {
    const port = Number(new URL(server.url).port);
    const content = {} as Parameters<typeof servePage>[0]; // True: it is not read before the server listens.
    await expect(servePage(content, { port })).rejects.toThrow(
      new UsageError(
        `The page cannot listen on port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
      ),
    );
  });

  it('shows objects, but not all', async () => {
    expect(await ask('/object?kind=Cluster&namespace=ns&name=a')).toMatchObject({
      status: 200,
      text: '<h2>Cluster a</h2>',
    });
    expect((await ask('/object?kind=Secret&namespace=ns&name=a')).status).toBe(404);
  });
});

describe('a plan', () => {
  it('is the answer to a change', async () => {
    const body = JSON.stringify({ text: 'kind: Cluster', reconciler: 'topology' });
    const origin = new URL(server.url).origin;
    const answer = await ask('/plan', { method: 'POST', headers: { ...json, origin }, body });
    expect(answer).toMatchObject({ status: 200, text: 'topology: kind: Cluster' });
  });

  it.each([
    { headers: {}, body: '{}', status: 415, reason: 'the body of a form' },
    { headers: json, body: '{', status: 400, reason: 'no JSON' },
    { headers: json, body: '{"text":1}', status: 400, reason: 'other fields' },
    {
      headers: json,
      body: JSON.stringify({ text: 'x'.repeat(1_100_000), reconciler: 'r' }),
      status: 400,
      reason: 'size',
    },
    { headers: json, body: JSON.stringify({ text: 'broken', reconciler: 'r' }), status: 500, reason: 'a defect' },
  ])('is refused with $status: $reason', async ({ headers, body, status }) => {
    expect((await ask('/plan', { method: 'POST', headers, body })).status).toBe(status);
  });
});

async function* eventsOf(session: string) {
  const response = await fetch(new URL(`/changes?session=${session}`, server.url));
  let read = '';
  for await (const chunk of response.body ?? []) {
    read += new TextDecoder().decode(chunk);
    const parts = read.split('\n\n');
    read = parts.pop() ?? '';
    for (const part of parts) {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
      yield { event, data: JSON.parse(data) as unknown };
    }
  }
}

const sessionOf = (page: string): string => /data-session="([^"]+)"/.exec(page)?.[1] ?? '';

describe('the changes', () => {
  it('go on from the page that was loaded', async () => {
    const session = sessionOf((await ask('/')).text);
    state.set('cluster-ns.a', '<details id="cluster-ns.a">b</details>');
    const events = eventsOf(session);
    expect((await events.next()).value).toEqual({ event: 'open', data: {} });
    expect((await events.next()).value).toEqual({
      event: 'changes',
      data: [{ id: 'cluster-ns.a', html: '<details id="cluster-ns.a">b</details>' }],
    });
    expect(server.isWatched()).toBe(true);
    state.delete('cluster-ns.a');
    server.refresh();
    expect((await events.next()).value).toEqual({ event: 'changes', data: [{ id: 'cluster-ns.a', gone: true }] });
    await events.return(undefined);
  });

  it('start from nothing for a page of an earlier server', async () => {
    const events = eventsOf('unknown');
    expect((await events.next()).value).toEqual({ event: 'reset', data: {} });
    const { value } = await events.next();
    expect(value).toMatchObject({
      data: [{ id: 'summary' }, { id: 'cluster-ns.a', after: 'summary' }, { id: 'path' }],
    });
    await events.return(undefined);
  });

  it('forget pages that were loaded long ago', async () => {
    const session = sessionOf((await ask('/')).text);
    for (let at = 0; at < 32; at += 1) {
      await ask('/');
    }
    const events = eventsOf(session);
    expect((await events.next()).value).toEqual({ event: 'reset', data: {} });
    await events.return(undefined);
  });
});
