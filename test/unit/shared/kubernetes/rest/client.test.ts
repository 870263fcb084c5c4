// The requests of the REST client, and its results for ordinary responses.
import { readFileSync } from 'node:fs';
import type { Answer } from '@capi-serverless/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { type RequestFact, requestSent, requests } from '../../../../../shared/diagnostics/channels.ts';
import { createKubernetes, type RestClient } from '../../../../../shared/kubernetes/rest/client.ts';
import { version } from '../../../../../shared/kubernetes/rest/version.ts';
import {
  type FaultServer,
  type Received,
  reply,
  type Script,
  startFaultServer,
} from '../../../../support/fault-server.ts';

const widget = { apiVersion: 'example.com/v1', kind: 'Widget' };
const ref = { ...widget, namespace: 'n', name: 'w' };
const stored = {
  ...widget,
  metadata: { name: 'w', namespace: 'n', uid: 'u1', resourceVersion: '7' },
  spec: { size: 1 },
};

let server: FaultServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function connect(script: Script, options: { readonly tls?: boolean } = {}): Promise<RestClient> {
  server = await startFaultServer(script, options);
  return createKubernetes({ credentials: server.credentials('t0ken'), client: 'tester' });
}

function lastReceived(): Received {
  const received = server?.received.at(-1);
  if (received === undefined) {
    throw new Error('Nothing arrived');
  }
  return received;
}

describe('a request on the wire', () => {
  const collection = '/apis/example.com/v1/namespaces/n/widgets';
  const manager = { fieldManager: 'capi-serverless' };

  it.each<
    [
      what: string,
      send: (kubernetes: RestClient) => Promise<Answer<unknown>>,
      wire: { method: string; path: string; query?: object; type?: string; accept?: string; body?: unknown },
    ]
  >([
    ['get', k => k.get(ref), { method: 'GET', path: `${collection}/w` }],
    [
      'metadata',
      k => k.metadata(ref),
      {
        method: 'GET',
        path: `${collection}/w`,
        accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      },
    ],
    [
      'a metadata page',
      k =>
        k.watches.page(
          { ...widget, namespace: 'n', as: 'metadata', labels: { a: 'b' } },
          { limit: 3, continue: 'next', signal: new AbortController().signal },
        ),
      {
        method: 'GET',
        path: collection,
        query: { limit: '3', continue: 'next', labelSelector: 'a=b' },
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      },
    ],
    ['list', k => k.list({ ...widget, namespace: 'n' }), { method: 'GET', path: collection, query: { limit: '500' } }],
    [
      'create',
      k => k.create({ ...ref, metadata: { name: 'w', namespace: 'n' } }, { fieldManager: 'me' }),
      {
        method: 'POST',
        path: collection,
        query: { fieldManager: 'me' },
        type: 'application/json',
        body: { ...ref, metadata: { name: 'w', namespace: 'n' } },
      },
    ],
    [
      'a merge patch',
      k => k.mergePatch(ref, { spec: { size: null } }),
      {
        method: 'PATCH',
        path: `${collection}/w`,
        query: manager,
        type: 'application/merge-patch+json',
        body: { spec: { size: null } },
      },
    ],
    [
      'a locked merge patch of status',
      k => k.mergePatch(ref, { metadata: { labels: {} } }, { subresource: 'status', resourceVersion: '7' }),
      {
        method: 'PATCH',
        path: `${collection}/w/status`,
        query: manager,
        type: 'application/merge-patch+json',
        body: { metadata: { labels: {}, resourceVersion: '7' } },
      },
    ],
    [
      'a locked JSON patch',
      k => k.jsonPatch(ref, [{ op: 'remove', path: '/spec/size' }], { resourceVersion: '7' }),
      {
        method: 'PATCH',
        path: `${collection}/w`,
        query: manager,
        type: 'application/json-patch+json',
        body: [
          { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
          { op: 'remove', path: '/spec/size' },
        ],
      },
    ],
    [
      'an apply to a known object',
      k => k.apply({ ...ref, metadata: { name: 'w', namespace: 'n' } }, { fieldManager: 'me', force: true, uid: 'u1' }),
      {
        method: 'PATCH',
        path: `${collection}/w`,
        query: { fieldManager: 'me', force: 'true' },
        type: 'application/apply-patch+yaml',
        body: { ...ref, metadata: { name: 'w', namespace: 'n', uid: 'u1' } },
      },
    ],
    [
      'an apply that must create the object',
      k =>
        k.apply(
          { ...ref, metadata: { name: 'w', namespace: 'n' } },
          { fieldManager: 'me', force: true, onlyCreate: true },
        ),
      {
        method: 'PATCH',
        path: `${collection}/w`,
        query: { fieldManager: 'me', force: 'true' },
        type: 'application/apply-patch+yaml',
        body: { ...ref, metadata: { name: 'w', namespace: 'n', resourceVersion: '1' } },
      },
    ],
    [
      'a dry run',
      k => k.dryRun.apply({ ...widget, metadata: { name: 'w', namespace: 'n' } }, { fieldManager: 'me', force: false }),
      {
        method: 'PATCH',
        path: `${collection}/w`,
        query: { fieldManager: 'me', force: 'false', dryRun: 'All' },
        type: 'application/apply-patch+yaml',
        body: { ...widget, metadata: { name: 'w', namespace: 'n' } },
      },
    ],
    [
      'a dry run of a create',
      k => k.dryRun.create({ ...widget, metadata: { name: 'w', namespace: 'n' } }),
      {
        method: 'POST',
        path: collection,
        query: { fieldManager: 'capi-serverless', dryRun: 'All' },
        type: 'application/json',
        body: { ...widget, metadata: { name: 'w', namespace: 'n' } },
      },
    ],
    [
      'a dry run of a merge patch',
      k => k.dryRun.mergePatch(ref, { spec: { a: null } }),
      {
        method: 'PATCH',
        path: `${collection}/w`,
        query: { fieldManager: 'capi-serverless', dryRun: 'All' },
        type: 'application/merge-patch+json',
        body: { spec: { a: null } },
      },
    ],
    [
      'delete',
      k =>
        k.delete(ref, {
          uid: 'u1',
          resourceVersion: '7',
          propagationPolicy: 'Foreground',
          gracePeriodSeconds: 0,
        }),
      {
        method: 'DELETE',
        path: `${collection}/w`,
        type: 'application/json',
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid: 'u1', resourceVersion: '7' },
          propagationPolicy: 'Foreground',
          gracePeriodSeconds: 0,
        },
      },
    ],
  ])('%s', async (_what, send, wire) => {
    const kubernetes = await connect((_request, response) =>
      reply(response, 200, { ...stored, metadata: { resourceVersion: '7' }, items: [] }),
    );
    expect(await send(kubernetes)).toMatchObject({ ok: true });
    const { method, path, query, headers, body } = lastReceived();
    expect({ method, path, query }).toEqual({ method: wire.method, path: wire.path, query: wire.query ?? {} });
    expect(headers).toMatchObject({
      authorization: 'Bearer t0ken',
      accept: wire.accept ?? 'application/json',
      'user-agent': `capi-serverless/${version}`,
    });
    expect(headers['content-type']).toBe(wire.type);
    expect(body === '' ? undefined : JSON.parse(body)).toEqual(wire.body);
  });

  it('counts the bytes of a body, not its characters', async () => {
    const kubernetes = await connect((_request, response) => reply(response, 200, stored));
    await kubernetes.mergePatch(ref, { spec: { note: 'größer – ✓' } });
    expect(JSON.parse(lastReceived().body)).toEqual({ spec: { note: 'größer – ✓' } });
  });

  it('is not sent if its name would change the path', async () => {
    const kubernetes = await connect((_request, response) => reply(response, 200, stored));
    expect(await kubernetes.get({ ...ref, name: '' })).toMatchObject({ ok: false, failure: { reason: 'BadRequest' } });
    expect(await kubernetes.delete({ ...ref, name: '..' })).toMatchObject({ failure: { reason: 'BadRequest' } });
    expect(server?.received).toEqual([]);
  });

  it('has no token over plain HTTP', async () => {
    const kubernetes = await connect((_request, response) => reply(response, 200, stored), { tls: false });
    expect(await kubernetes.get(ref)).toMatchObject({ ok: true });
    expect(lastReceived().headers.authorization).toBeUndefined();
  });

  it('keeps the path prefix of the server', async () => {
    server = await startFaultServer((_request, response) => reply(response, 200, stored));
    const { endpoint } = await server.credentials().current();
    const access = { endpoint: { ...endpoint, server: `${server.url}/k8s/clusters/c1` }, authorization: undefined };
    const credentials = { server: server.url, current: async () => access, refresh: async () => false };
    await createKubernetes({ credentials, client: 'tester' }).get(ref);
    expect(lastReceived().path).toBe(`/k8s/clusters/c1${collection}/w`);
  });
});

describe('responses', () => {
  it('return metadata under the requested kind', async () => {
    const partial = { ...stored, apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', spec: undefined };
    const list = { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '9' }, items: [partial] };
    const kubernetes = await connect((request, response) =>
      reply(response, 200, request.path.endsWith('/w') ? partial : list),
    );
    expect(await kubernetes.metadata(ref)).toEqual({ ok: true, value: stored.metadata });
    const options = { limit: 1, signal: new AbortController().signal };
    expect(await kubernetes.watches.page({ ...widget, as: 'metadata' }, options)).toEqual({
      ok: true,
      value: { items: [{ ...widget, metadata: stored.metadata }], resourceVersion: '9' },
    });
  });

  it.each<[reason: string, body: unknown, expected: unknown]>([
    ['a Status says that it is gone', { kind: 'Status', metadata: {}, status: 'Success' }, undefined],
    ['an object that is not marked was removed', stored, undefined],
    [
      'a marked object is still there',
      { ...stored, metadata: { ...stored.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      { ...stored, metadata: { ...stored.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ],
  ])('return the result of a delete: %s', async (_reason, body, expected) => {
    const kubernetes = await connect((_request, response) => reply(response, 200, body));
    expect(await kubernetes.delete(ref)).toEqual({ ok: true, value: expected });
  });

  it('are read for every page of a list', async () => {
    const item = (name: string) => ({ metadata: { name } });
    const kubernetes = await connect(({ query }, response) =>
      query['continue'] === 'p2'
        ? reply(response, 200, { metadata: { resourceVersion: '9', continue: '' }, items: [item('b')] })
        : reply(response, 200, { metadata: { resourceVersion: '9', continue: 'p2' }, items: [item('a')] }),
    );
    expect(await kubernetes.list(widget, object => object)).toEqual({
      ok: true,
      value: [
        { ...widget, ...item('a') },
        { ...widget, ...item('b') },
      ],
    });
  });

  it('with an expired continue token restart the list once', async () => {
    const kubernetes = await connect(({ query }, response, number) => {
      if (query['continue'] === undefined) {
        const next = number === 1 ? { continue: 'p2' } : {};
        reply(response, 200, {
          metadata: { resourceVersion: String(number), ...next },
          items: [{ metadata: { name: `w${number}` } }],
        });
      } else {
        reply(response, 410, { kind: 'Status', reason: 'Expired', message: 'too old', code: 410 });
      }
    });
    expect(await kubernetes.list(widget)).toEqual({ ok: true, value: [{ ...widget, metadata: { name: 'w3' } }] });
  });

  it('that expire again end the list with Gone', async () => {
    const kubernetes = await connect(({ query }, response) =>
      query['continue'] === undefined
        ? reply(response, 200, { metadata: { resourceVersion: '1', continue: 'p2' }, items: [] })
        : reply(response, 410, { kind: 'Status', reason: 'Expired', message: 'too old', code: 410 }),
    );
    expect(await kubernetes.list(widget)).toMatchObject({ failure: { reason: 'Gone', code: 410 } });
    expect(server?.received).toHaveLength(4);
  });

  it('that are not a list fail the call', async () => {
    const kubernetes = await connect((_request, response) => reply(response, 200, stored));
    expect(await kubernetes.list(widget)).toMatchObject({ failure: { reason: 'InternalError' } });
  });
});

describe('facts about requests', () => {
  it('are published when a request is sent and when it ends, without content or credentials', async () => {
    const sent: unknown[] = [];
    const ended: unknown[] = [];
    const onSent = (fact: unknown) => void sent.push(fact);
    const onEnd = (fact: unknown) => void ended.push(fact);
    requestSent.subscribe(onSent);
    requests.subscribe(onEnd);
    try {
      const kubernetes = await connect((_request, response) =>
        reply(response, 409, { kind: 'Status', reason: 'Conflict' }),
      );
      await kubernetes.mergePatch(ref, { spec: { note: 'c0ntent' } }, { subresource: 'status' });
    } finally {
      requestSent.unsubscribe(onSent);
      requests.unsubscribe(onEnd);
    }
    const subject = {
      verb: 'patch',
      group: 'example.com',
      resource: 'widgets/status',
      namespace: 'n',
      name: 'w',
      dryRun: false,
      client: 'tester',
    };
    expect(sent).toEqual([{ ...subject, startedAt: expect.any(Number) }]);
    expect(ended).toEqual([
      { ...subject, code: 409, startedAt: expect.any(Number), endedAt: expect.any(Number) } satisfies RequestFact,
    ]);
    expect(JSON.stringify([sent, ended])).not.toMatch(/t0ken|c0ntent/);
  });
});

it('uses the version of the package as user agent', () => {
  const text = readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version });
});
