// No request may crash the server, cause a 5xx response, or change an object without permission.
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../../../../packages/apiserver/server.ts';
import { generated } from '../../../../support/extent.ts';
import { seed } from '../../../../support/property.ts';
import { widgetCrd } from '../core/core-with-widgets.ts';
import { type BadRequest, BadRequests, type BadRequestTarget } from './bad-requests.ts';

const requests = generated(10_000);
const concurrency = 8;

const targets: readonly BadRequestTarget[] = [
  {
    collection: '/apis/unit.example.com/v1/namespaces/default/widgets',
    name: 'w',
    apiVersion: 'unit.example.com/v1',
    kind: 'Widget',
  },
  { collection: '/api/v1/namespaces/default/secrets', name: 's', apiVersion: 'v1', kind: 'Secret' },
  { collection: '/api/v1/namespaces', name: 'default', apiVersion: 'v1', kind: 'Namespace' },
  {
    collection: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    name: 'widgets.unit.example.com',
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
  },
];

describe('bad requests', () => {
  let server: ApiServer;
  let agent: Agent;
  const mistakes: string[] = [];

  beforeAll(async () => {
    server = await startApiServer({ onUnexpectedError: (error, what) => mistakes.push(`${what}: ${error}`) });
    agent = new Agent({ keepAlive: true, maxSockets: concurrency, ca: server.caPem });
    const { core } = server;
    core.create(core.registry.endpointOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '', widgetCrd);
    for (const { apiVersion, kind, name } of targets.slice(0, 2)) {
      core.create(core.registry.endpointOfKind(apiVersion, kind), 'default', { apiVersion, kind, metadata: { name } });
    }
    core.settle();
  });

  afterAll(async () => {
    agent.destroy();
    await server.stop();
  });

  const send = ({ method, path, headers, body }: BadRequest): Promise<number> =>
    new Promise((resolve, reject) => {
      // Without a Content-Length header, Node sends the body of a DELETE without its length.
      const length = { 'content-length': Buffer.byteLength(body ?? '') };
      const all = { ...headers, ...length, authorization: `Bearer ${server.token}` };
      const sent = request(new URL(server.url), { agent, method, path, headers: all }, response => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });

  it(`are refused without harm, ${requests} of them (CAPI_SEED=${seed})`, async () => {
    console.log(`bad requests: CAPI_SEED=${seed}`);
    const source = new BadRequests(seed, targets);
    const before = server.core.resourceVersion();
    const codes = new Map<number, number>();
    const surprising: string[] = [];
    let left = requests;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const bad = source.next();
        const code = await send(bad);
        codes.set(code, (codes.get(code) ?? 0) + 1);
        const isRead = bad.method === 'GET' || bad.method === 'HEAD';
        // 504 is the code for future versions.
        if ((code >= 500 && code !== 504) || (code < 400 && !isRead) || server.core.resourceVersion() !== before) {
          surprising.push(
            `${code} ${bad.method} ${bad.path} ${JSON.stringify(bad.headers)} ${bad.body?.slice(0, 400)}`,
          );
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    expect({ surprising, mistakes }).toEqual({ surprising: [], mistakes: [] });
    expect(server.core.resourceVersion()).toBe(before);
    // The requests reach every part of the server, and not only the first check.
    expect([...codes.keys()].sort()).toEqual(expect.arrayContaining([200, 400, 404, 406, 409, 415, 422]));
  });
});
