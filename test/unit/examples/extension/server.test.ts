// The example's server on loopback. The tests call it like a client.
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { type Handler, hooksApiVersion, success } from '../../../../examples/extension/protocol.ts';
import { type ExtensionServer, startExtensionServer } from '../../../../examples/extension/server.ts';

const greeting: Handler = {
  name: 'greet',
  hook: 'BeforeClusterCreate',
  answer: ({ settings }) => success({ settings }),
};
const broken: Handler = {
  name: 'broken',
  hook: 'BeforeClusterDelete',
  failurePolicy: 'Ignore',
  timeoutSeconds: 3,
  answer: () => {
    throw new Error('no idea');
  },
};

let server: ExtensionServer | undefined;

afterEach(() => server?.stop());

async function start(): Promise<ExtensionServer> {
  server = await startExtensionServer({ handlers: [greeting, broken], address: '127.0.0.1', port: 0 });
  return server;
}

interface Asking {
  readonly path: string;
  readonly body?: unknown;
  readonly method?: string;
  readonly ca?: string;
}

function ask(of: ExtensionServer, { path, body = {}, method = 'POST', ca = of.authority() }: Asking) {
  return new Promise<{ status: number | undefined; answer: unknown }>((resolve, reject) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-length': Buffer.byteLength(text) };
    const sent = request(`${of.url}/${path}?timeout=10s`, { method, ca, headers, agent: false }, response => {
      json(response).then(
        answer => resolve({ status: response.statusCode, answer }),
        () => resolve({ status: response.statusCode, answer: undefined }),
      );
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

const asked = (kind: string, more = {}) => ({ apiVersion: hooksApiVersion, kind, ...more });

it('answers discovery with its handlers', async () => {
  const { answer } = await ask(await start(), {
    path: `${hooksApiVersion}/discovery`,
    body: asked('DiscoveryRequest'),
  });
  expect(answer).toEqual({
    apiVersion: hooksApiVersion,
    kind: 'DiscoveryResponse',
    status: 'Success',
    handlers: [
      { name: 'greet', requestHook: { apiVersion: hooksApiVersion, hook: 'BeforeClusterCreate' } },
      {
        name: 'broken',
        requestHook: { apiVersion: hooksApiVersion, hook: 'BeforeClusterDelete' },
        timeoutSeconds: 3,
        failurePolicy: 'Ignore',
      },
    ],
  });
});

it('passes requests to their handler, and survives one that throws', async () => {
  const running = await start();
  const body = asked('BeforeClusterCreateRequest', { settings: { a: 'b' } });
  const path = `${hooksApiVersion}/beforeclustercreate/greet`;
  const good = { apiVersion: hooksApiVersion, kind: 'BeforeClusterCreateResponse', status: 'Success' };
  expect(await ask(running, { path, body })).toEqual({ status: 200, answer: { ...good, settings: { a: 'b' } } });
  const failed = await ask(running, {
    path: `${hooksApiVersion}/beforeclusterdelete/broken`,
    body: asked('BeforeClusterDeleteRequest'),
  });
  expect(failed.answer).toMatchObject({ status: 'Failure', message: 'no idea' });
});

it.each([
  { asking: { path: `${hooksApiVersion}/nope/greet` }, status: 404, reason: 'no such path' },
  { asking: { path: `${hooksApiVersion}/discovery`, method: 'PUT' }, status: 404, reason: 'no such method' },
  { asking: { path: `${hooksApiVersion}/discovery`, body: '{' }, status: 400, reason: 'no JSON' },
  {
    asking: { path: `${hooksApiVersion}/discovery`, body: { apiVersion: 'v9', kind: 'DiscoveryRequest' } },
    status: 400,
    reason: 'another version',
  },
  { asking: { path: `${hooksApiVersion}/discovery`, body: {} }, status: 400, reason: 'no kind' },
])('answers $status: $reason', async ({ asking, status }) => {
  expect((await ask(await start(), asking)).status).toBe(status);
});

it('is trusted only through its CA, and through another one after renewal', async () => {
  const running = await start();
  const before = running.authority();
  const question = { path: `${hooksApiVersion}/discovery`, body: asked('DiscoveryRequest') };
  await running.renew();
  expect(running.authority()).not.toBe(before);
  expect((await ask(running, question)).status).toBe(200);
  await expect(ask(running, { ...question, ca: before })).rejects.toThrow();
});
