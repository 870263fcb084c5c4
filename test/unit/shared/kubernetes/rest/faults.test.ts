// The REST client during faults of the network or the server. Its results contain only known facts.
import { createServer } from 'node:net';
import type { Answer, Kubernetes } from '@capi-serverless/apimachinery';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createKubernetes } from '../../../../../shared/kubernetes/rest/client.ts';
import type { ConnectionLimits } from '../../../../../shared/kubernetes/rest/connection.ts';
import { type FaultServer, reply, type Script, startFaultServer } from '../../../../support/fault-server.ts';
import { makeSelfSignedCertificate } from '../../../../support/self-signed-certificate.ts';

const ref = { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'n', name: 'w' };
const stored = { ...ref, metadata: { name: 'w', namespace: 'n', uid: 'u1', resourceVersion: '7' } };

let server: FaultServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function connect(script: Script, limits: Partial<ConnectionLimits> = {}): Promise<Kubernetes> {
  server = await startFaultServer(script);
  return createKubernetes({ credentials: server.credentials('t0ken'), client: 'tester', limits });
}

const read = (kubernetes: Kubernetes): Promise<Answer<unknown>> => kubernetes.get(ref);
const write = (kubernetes: Kubernetes): Promise<Answer<unknown>> => kubernetes.mergePatch(ref, { spec: { size: 1 } });

describe('network faults', () => {
  const cutOff: Script = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"kind":');
    setImmediate(() => response.destroy());
  };
  const hung: Script = () => {};
  const halfHung: Script = (_request, response) => {
    response.writeHead(200);
    response.write('{');
  };
  const huge: Script = (_request, response) => reply(response, 200, { note: 'x'.repeat(2000) });
  const notJson: Script = (_request, response) => response.end('<html>a proxy</html>');

  it.each<[fault: string, script: Script, limits: Partial<ConnectionLimits>, read: string, write: string]>([
    ['the connection is dropped', (_request, response) => response.destroy(), {}, 'Unavailable', 'UnknownOutcome'],
    ['the answer is cut off', cutOff, {}, 'Unavailable', 'UnknownOutcome'],
    ['no answer comes in time', hung, { requestTimeoutMs: 50 }, 'Unavailable', 'UnknownOutcome'],
    ['the rest of the answer does not come', halfHung, { requestTimeoutMs: 50 }, 'Unavailable', 'UnknownOutcome'],
    ['the answer is too large', huge, { maxAnswerBytes: 1000 }, 'InternalError', 'UnknownOutcome'],
    ['the answer is not JSON', notJson, {}, 'InternalError', 'UnknownOutcome'],
  ])('%s', async (_fault, script, limits, forRead, forWrite) => {
    const kubernetes = await connect(script, limits);
    expect(await read(kubernetes)).toMatchObject({ ok: false, missing: false, failure: { reason: forRead } });
    expect(await write(kubernetes)).toMatchObject({ ok: false, missing: false, failure: { reason: forWrite } });
    expect(server?.received).toHaveLength(2);
  });

  it('an unreachable server has processed no write', async () => {
    const kubernetes = await connect(hung);
    await server?.close();
    const expected = { failure: { reason: 'Unavailable', message: expect.stringContaining('ECONNREFUSED') } };
    expect(await read(kubernetes)).toMatchObject(expected);
    expect(await write(kubernetes)).toMatchObject(expected);
    server = undefined;
  });

  it('a connection that is not established in time has sent no write', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise(resolve => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const access = {
      endpoint: { server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true },
      authorization: undefined,
    };
    const credentials = { server: '', current: async () => access, refresh: async () => false };
    const kubernetes = createKubernetes({ credentials, client: 'tester', limits: { connectTimeoutMs: 50 } });
    expect(await write(kubernetes)).toMatchObject({
      failure: { reason: 'Unavailable', message: expect.stringContaining('no free connection within 0.05 s') },
    });
    silent.close();
  });

  it('a server with an untrusted certificate gets neither token nor request', async () => {
    server = await startFaultServer(hung);
    const access = {
      endpoint: { server: server.url, ca: makeSelfSignedCertificate().certificatePem, insecureSkipTlsVerify: false },
      authorization: 'Bearer t0ken',
    };
    const credentials = { server: server.url, current: async () => access, refresh: async () => false };
    const answer = await write(createKubernetes({ credentials, client: 'tester' }));
    expect(answer).toMatchObject({
      failure: { reason: 'Unavailable', message: expect.stringContaining('certificate') },
    });
    expect(server.received).toEqual([]);
  });

  it("returns the server's Retry-After", async () => {
    const kubernetes = await connect((_request, response) =>
      reply(response, 429, { kind: 'Status', message: 'busy', reason: 'TooManyRequests' }, { 'retry-after': '3' }),
    );
    expect(await write(kubernetes)).toMatchObject({
      failure: { reason: 'TooManyRequests', code: 429, message: 'busy', retryAfterMs: 3000 },
    });
  });
});

describe('kept-alive connections', () => {
  it('serve one request after the other', async () => {
    const kubernetes = await connect((_request, response) => reply(response, 200, stored));
    for (let count = 0; count < 20; count += 1) {
      expect(await read(kubernetes)).toMatchObject({ ok: true });
    }
    expect(server?.connections).toBe(1);
  });

  it('are limited in number, however many requests wait', async () => {
    const kubernetes = await connect((_request, response) => reply(response, 200, stored), { maxSockets: 2 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(kubernetes)));
    expect(answers.every(answer => answer.ok)).toBe(true);
    expect(server?.connections).toBe(2);
  });

  it('do not fail a read if the server has closed them', async () => {
    const kubernetes = await connect((_request, response, number) =>
      number === 2 ? response.destroy() : reply(response, 200, stored),
    );
    expect(await read(kubernetes)).toMatchObject({ ok: true });
    expect(await read(kubernetes)).toMatchObject({ ok: true });
    expect(server?.received).toHaveLength(3);
    expect(server?.connections).toBe(2);
  });

  it('leave the outcome of a write unknown if the server has closed them, and send it only once', async () => {
    const kubernetes = await connect((_request, response, number) =>
      number === 2 ? response.destroy() : reply(response, 200, stored),
    );
    expect(await write(kubernetes)).toMatchObject({ ok: true });
    expect(await write(kubernetes)).toMatchObject({ failure: { reason: 'UnknownOutcome' } });
    expect(server?.received).toHaveLength(2);
  });

  it('are not reused after an idle time in which the server may have closed them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const kubernetes = await connect((_request, response) => reply(response, 200, stored));
      await write(kubernetes);
      vi.setSystemTime(Date.now() + 31_000);
      expect(await write(kubernetes)).toMatchObject({ ok: true });
      expect(server?.connections).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are retried only once for a read', async () => {
    const kubernetes = await connect((_request, response, number) =>
      number === 1 ? reply(response, 200, stored) : response.destroy(),
    );
    await read(kubernetes);
    expect(await read(kubernetes)).toMatchObject({ failure: { reason: 'Unavailable' } });
    expect(server?.received).toHaveLength(3);
  });
});

describe('abort', () => {
  it.each([
    ['a read', read, 'Aborted'],
    ['a write', write, 'UnknownOutcome'],
  ] as const)('ends %s that is under way', async (_what, send, reason) => {
    const controller = new AbortController();
    const kubernetes = await connect(() => controller.abort());
    expect(await send(kubernetes.within(controller.signal))).toMatchObject({ failure: { reason } });
  });

  it('of an outer signal aborts an inner one', async () => {
    const outer = new AbortController();
    const kubernetes = await connect(() => outer.abort());
    const inner = kubernetes.within(outer.signal).within(new AbortController().signal);
    expect(await read(inner)).toMatchObject({ failure: { reason: 'Aborted' } });
  });
});

describe('rejected credentials', () => {
  const refuse = { kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' };

  it('are renewed, and the request is sent again', async () => {
    server = await startFaultServer((request, response) =>
      request.headers.authorization === 'Bearer new' ? reply(response, 200, stored) : reply(response, 401, refuse),
    );
    const kubernetes = createKubernetes({ credentials: server.credentials('old', 'new'), client: 'tester' });
    expect(await write(kubernetes)).toMatchObject({ ok: true });
    expect(server.received).toHaveLength(2);
  });

  it.each([
    ['there are no others', ['old'], 1],
    ['the others are refused too', ['old', 'older'], 2],
  ] as const)('are reported when %s', async (_case, tokens, count) => {
    server = await startFaultServer((_request, response) => reply(response, 401, refuse));
    const kubernetes = createKubernetes({ credentials: server.credentials(...tokens), client: 'tester' });
    const answer = await write(kubernetes);
    expect(answer).toMatchObject({ failure: { reason: 'Unauthorized', code: 401 } });
    expect(JSON.stringify(answer)).not.toContain('old');
    expect(server.received).toHaveLength(count);
  });
});
