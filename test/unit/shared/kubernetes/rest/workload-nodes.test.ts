import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkloadNodes } from '../../../../../shared/kubernetes/rest/workload-nodes.ts';

let server: Server;
let port: number;
let seen: string[] = [];
let answer: RequestListener;

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port; // True: it listens on TCP.
});

afterAll(() => server.close());

function kubeconfigOf(address: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: address } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
    'current-context': 'x',
  });
}

interface Given {
  readonly nodes?: readonly string[];
  readonly kubeconfig?: string;
  readonly timeoutMs?: number;
  readonly addresses?: 'any' | 'routable';
}

function read({ nodes = ['n1'], kubeconfig, timeoutMs = 10_000, addresses = 'any' }: Given = {}) {
  seen = [];
  const target = {
    cluster: 'uid',
    origin: 'in Secret ns/c1-kubeconfig',
    kubeconfig: kubeconfig ?? kubeconfigOf(`http://127.0.0.1:${port}`),
    version: '1',
  };
  const { signal } = new AbortController();
  return createWorkloadNodes({ userAgent: 'test', addresses, timeoutMs }).kubeletVersions(target, nodes, signal);
}

const aNode = (kubeletVersion?: string) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Node', status: { nodeInfo: { kubeletVersion } } });

describe('the Nodes of a workload cluster', () => {
  it('are read by name, with their kubelet versions', async () => {
    answer = ({ url }, response) => response.end(url?.endsWith('n2') ? aNode() : aNode('v1.31.0'));
    expect(await read({ nodes: ['n1', 'n2', 'a/b'] })).toEqual(
      new Map([
        ['n1', { ok: true, value: 'v1.31.0' }],
        ['n2', { ok: true, value: '' }],
        ['a/b', { ok: true, value: 'v1.31.0' }],
      ]),
    );
    expect(seen.toSorted()).toEqual(['/api/v1/nodes/a%2Fb', '/api/v1/nodes/n1', '/api/v1/nodes/n2']);
  });

  it('fail individually', async () => {
    answer = ({ url }, response) =>
      url?.endsWith('n2') ? response.writeHead(404).end() : response.end(aNode('v1.31.0'));
    const versions = await read({ nodes: ['n1', 'n2'] });
    expect(versions.get('n1')).toEqual({ ok: true, value: 'v1.31.0' });
    expect(versions.get('n2')).toEqual({
      ok: false,
      error: `GET http://127.0.0.1:${port}/api/v1/nodes/n2: answered with status 404`,
    });
  });

  it('fail when the response is not JSON', async () => {
    answer = (_request, response) => response.end('<html>');
    expect((await read()).get('n1')).toEqual({ ok: false, error: 'the answer is not a Node in JSON' });
  });

  it('fail on a timeout', async () => {
    answer = () => {};
    expect((await read({ timeoutMs: 50 })).get('n1')).toEqual({ ok: false, error: 'no answer within 0.05 s' });
  });

  it('are not read at loopback, link-local or metadata addresses', async () => {
    const refused = (await read({ addresses: 'routable' })).get('n1');
    expect(refused).toMatchObject({ ok: false });
    expect(seen).toEqual([]);
  });

  it('fail together when the kubeconfig cannot be read, and it is not quoted', async () => {
    const versions = await read({ kubeconfig: 'no kubeconfig with a canary', nodes: ['n1', 'n2'] });
    expect([...versions.values()].map(({ ok }) => ok)).toEqual([false, false]);
    expect(JSON.stringify([...versions])).not.toContain('canary');
  });
});
