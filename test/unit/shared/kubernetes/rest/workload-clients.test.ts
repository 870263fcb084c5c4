// The clients of workload clusters on the wire: kubeconfigs, limits, and servers that answer anything.

import type { LookupFunction } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answer, ApiFailure } from '../../../../../packages/apimachinery/answer.ts';
import { createAuthority } from '../../../../../shared/certificates/x509/authority.ts';
import { createSigner } from '../../../../../shared/certificates/x509/lazy-signer.ts';
import { createWorkloadClients } from '../../../../../shared/kubernetes/rest/workload-clients.ts';
import { isConnectionDown } from '../../../../../shared/workload/api.ts';
import { type FaultServer, reply, type Script, startFaultServer } from '../../../../support/fault-server.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';
import { plainKubeconfig } from '../../../../support/workload-kubeconfig.ts';

const { signal } = new AbortController();
const nodeRef = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
const nodesQuery = { apiVersion: 'v1', kind: 'Node' };
const podRef = { apiVersion: 'v1', kind: 'Pod', namespace: 'app', name: 'p1' };
const metadata = { name: 'n1', uid: 'u', resourceVersion: '1' };
const node = { ...nodesQuery, metadata };
const cluster = { uid: 'uid', namespace: 'ns', name: 'c1' };

let servers: FaultServer[] = [];

afterEach(async () => {
  await Promise.all(servers.map(server => server.close()));
  servers = [];
});

async function serve(script: Script, options: { readonly tls?: boolean } = { tls: false }): Promise<FaultServer> {
  const server = await startFaultServer(script, options);
  servers.push(server);
  return server;
}

type Options = Partial<Parameters<typeof createWorkloadClients>[0]>;

function connect(options: Options = {}) {
  const clock = new SteppedClock();
  const base = { addresses: 'any', client: 'tester', userAgent: 'agent' } as const;
  return { clock, ...createWorkloadClients({ ...base, clock, ...options }) };
}

const targetOf = (kubeconfig: string, version = '1', uid = cluster.uid) => ({
  cluster: uid,
  origin: 'in Secret ns/c1-kubeconfig',
  kubeconfig,
  version,
});

/** Reads the Node through a server with this script. */
async function readFrom(script: Script, options: Options = {}) {
  const server = await serve(script);
  const { api, writers } = connect(options);
  const reads = api.reads(targetOf(plainKubeconfig({ server: server.url })), signal);
  return { server, reads, writes: writers(cluster) };
}

function failureOf(answer: Answer<unknown>): ApiFailure {
  if (answer.ok) {
    throw new Error('Expected a failure');
  }
  return answer.failure;
}

const answering =
  (body: unknown, status = 200): Script =>
  (_request, response) =>
    reply(response, status, body);

describe('a kubeconfig that is not usable', () => {
  const token = 's3cr3t';
  const usable = plainKubeconfig({ server: 'https://127.0.0.1:1', token });
  it.each([
    ['no kubeconfig', 'nothing'],
    ['no YAML', `{"a: [${token}`],
    ['no context', JSON.stringify({ users: [{ name: token, user: { token } }] })],
    ['more than 64 KiB', usable.replace(token, token.repeat(20_000))],
    ['a token in a file', usable.replace('"token"', '"tokenFile"')],
    ['a token with a line break', usable.replace(token, `${token}\\n`)],
  ])('fails each read and write as a connection does: %s', async (_reason, kubeconfig) => {
    const { api, writers } = connect();
    const reads = api.reads(targetOf(kubeconfig), signal);
    const answers = [
      await reads.get(nodeRef),
      await reads.list(nodesQuery),
      await reads.nodes(),
      await writers(cluster).evict(podRef, { uid: 'u' }),
    ];
    for (const failure of answers.map(failureOf)) {
      expect(isConnectionDown(failure)).toBe(true);
      expect(failure.message).toMatch(/^get nodes n1: Kubeconfig in Secret ns\/c1-kubeconfig/);
      expect(JSON.stringify(failure)).not.toContain(token);
    }
  });

  it('has a client certificate with the key of another one', async () => {
    const kubeconfigs = await Promise.all(
      [1, 2].map(async () => {
        const authority = await createAuthority(0);
        const request = { clusterName: 'c1', server: 'https://127.0.0.1:1', authority, now: Date.now() };
        const signed = await createSigner().kubeconfig(request);
        return signed.ok ? signed.value : '';
      }),
    );
    const keys = kubeconfigs.map(text => /client-key-data: \S+/.exec(text)?.[0] ?? '');
    const mixed = kubeconfigs[0]?.replace(keys[0] ?? '', keys[1] ?? '') ?? '';
    expect(keys[0]).not.toBe(keys[1]);
    const failure = failureOf(await connect().api.reads(targetOf(mixed), signal).get(nodeRef));
    expect(isConnectionDown(failure)).toBe(true);
    expect(failure.message).toContain('key values mismatch');
    expect(failure.message).not.toContain('PRIVATE');
  });

  it('names an address that only the function can reach', async () => {
    const server = await serve(answering(node));
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const kubeconfig = plainKubeconfig({ server: server.url.replace('127.0.0.1', host) });
      const { api } = connect({ addresses: 'routable' });
      const failure = failureOf(await api.reads(targetOf(kubeconfig), signal).get(nodeRef));
      expect(isConnectionDown(failure)).toBe(true);
      expect(failure.message).toContain('CAPI_REMOTE_ADDRESSES=any');
    }
    expect(server.received).toEqual([]);
  });
});

describe('a connection that fails', () => {
  it('has no server', async () => {
    const server = await serve(answering(node));
    const kubeconfig = plainKubeconfig({ server: server.url });
    await server.close();
    servers = [];
    const failure = failureOf(await connect().api.reads(targetOf(kubeconfig), signal).get(nodeRef));
    expect(failure.message).toContain('ECONNREFUSED');
    expect(isConnectionDown(failure)).toBe(true);
  });

  it('has another certificate', async () => {
    const server = await serve(answering(node), { tls: true });
    const { certificate: ca } = await createAuthority(0);
    const { api } = connect();
    const failure = failureOf(
      await api.reads(targetOf(plainKubeconfig({ server: server.url, ca, token: 's3cr3t' })), signal).get(nodeRef),
    );
    expect(isConnectionDown(failure)).toBe(true);
    expect(server.received).toEqual([]);
  });

  it('has no name in DNS', async () => {
    const kubeconfig = plainKubeconfig({ server: 'https://absent.invalid' });
    const lookup: LookupFunction = (_host, _options, answer) => answer(new Error('getaddrinfo ENOTFOUND'), '');
    const failure = failureOf(
      await connect({ limits: { lookup } }).api.reads(targetOf(kubeconfig), signal).get(nodeRef),
    );
    expect(failure.message).toContain('ENOTFOUND');
    expect(isConnectionDown(failure)).toBe(true);
  });

  it('is a server that accepts connections and never begins TLS: after 5 s', async () => {
    const sockets = new Set<{ destroy(): void }>();
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    const silent = createServer(socket => {
      sockets.add(socket);
      resolve();
    }).listen(0, '127.0.0.1');
    await new Promise(listening => silent.once('listening', listening));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { api, clock } = connect();
    const read = api.reads(targetOf(plainKubeconfig({ server: `https://127.0.0.1:${port}` })), signal).get(nodeRef);
    await connected;
    await clock.advance(5_000);
    const failure = failureOf(await read);
    expect(failure).toEqual({ reason: 'Unavailable', message: 'get nodes n1: no answer within 5 s' });
    for (const socket of sockets) {
      socket.destroy();
    }
    silent.close();
  });

  it('is up as soon as an answer begins, however long its body takes', async () => {
    const open: { end(rest: string): void }[] = [];
    const server = await serve((_request, response, number) => {
      if (number > 1) {
        reply(response, 200, node);
        return;
      }
      response.writeHead(200);
      response.write(JSON.stringify(node).slice(0, -1));
      open.push(response);
    });
    const { api, clock } = connect();
    const reads = api.reads(targetOf(plainKubeconfig({ server: server.url })), signal);
    const slow = reads.get(nodeRef);
    expect((await reads.get(nodeRef)).ok).toBe(true);
    await clock.advance(5_000);
    open[0]?.end('}');
    expect((await slow).ok).toBe(true);
  });

  it('hangs in the middle of an answer, which closes the gate', async () => {
    const { reads, server, writes } = await readFrom(
      (_request, response) => {
        response.writeHead(200);
        response.write('{');
      },
      { limits: { requestTimeoutMs: 50 } },
    );
    expect(isConnectionDown(failureOf(await reads.get(nodeRef)))).toBe(true);
    expect(isConnectionDown(failureOf(await writes.delete(nodeRef)))).toBe(true);
    expect(server.received).toHaveLength(1);
  });

  it('drops a write, whose outcome is unknown; later ones are not sent', async () => {
    const { writes, server } = await readFrom((_request, response) => response.destroy());
    expect(failureOf(await writes.delete(nodeRef)).reason).toBe('UnknownOutcome');
    expect(failureOf(await writes.delete(nodeRef)).reason).toBe('Unavailable');
    expect(server.received).toHaveLength(1);
  });
});

describe('a server that answers anything', () => {
  const endless: Script = (_request, response) => {
    response.writeHead(200);
    const fill = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) {
        // The buffer has room.
      }
    };
    response.on('drain', fill);
    fill();
  };

  it.each<[reason: string, script: Script, failure: object]>([
    ['an endless body', endless, { reason: 'InternalError', message: expect.stringContaining('larger than') }],
    ['no JSON', (_request, response) => response.end('<html>'), { reason: 'InternalError', code: 200 }],
    ['another kind', answering({ ...node, kind: 'Pod' }), { reason: 'Unparsable' }],
    ['no object', answering([1]), { reason: 'Unparsable' }],
    ['a redirect', (_q, r) => r.writeHead(302, { location: 'http://169.254.169.254' }).end(), { code: 302 }],
    ['an error', answering({ kind: 'Status', message: 'x'.repeat(100_000) }, 500), { reason: 'InternalError' }],
    ['unavailable', answering({ kind: 'Status', message: 'starting' }, 503), { reason: 'Unavailable', code: 503 }],
  ])('fails the read, and is not down: %s', async (_reason, script, expected) => {
    const { reads, server } = await readFrom(script, { limits: { maxAnswerBytes: 1024 * 1024 } });
    const failure = failureOf(await reads.get(nodeRef));
    expect(failure).toMatchObject(expected);
    expect(failure.message.length).toBeLessThan(5_000);
    expect(isConnectionDown(failure)).toBe(false);
    await reads.get(nodeRef);
    expect(server.received).toHaveLength(2);
  });

  it.each<[reason: string, body: unknown]>([
    ['an object instead of a list', node],
    ['a list of another kind', { kind: 'PodList', metadata: { resourceVersion: '1' }, items: [] }],
    ['Nodes without names', { kind: 'NodeList', metadata: { resourceVersion: '1' }, items: [{ metadata: {} }] }],
  ])('fails lists and scans: %s', async (_reason, body) => {
    const { reads } = await readFrom(answering(body));
    expect(failureOf(await reads.list(nodesQuery)).reason).toBe('Unparsable');
    expect(failureOf(await reads.nodes()).reason).toBe('Unparsable');
  });

  it('bounds a list over all its pages', async () => {
    const annotations = { filler: 'x'.repeat(8 * 1024 * 1024) };
    const items = [{ metadata: { ...metadata, annotations } }];
    const list = { kind: 'NodeList', metadata: { resourceVersion: '1', continue: 'next' }, items };
    const { reads, server } = await readFrom(answering(list));
    const failure = failureOf(await reads.list(nodesQuery));
    expect(failure).toMatchObject({ reason: 'InternalError', message: expect.stringContaining('the list is larger') });
    expect(server.received).toHaveLength(8);
  });

  it('is not asked for longer than the retry of a Machine takes', async () => {
    const { writes } = await readFrom((_request, response) =>
      reply(response, 429, { kind: 'Status', message: 'later' }, { 'retry-after': '999999' }),
    );
    expect(failureOf(await writes.evict(podRef, { uid: 'u' }))).toMatchObject({ code: 429, retryAfterMs: 60_000 });
  });
});

describe('an eviction', () => {
  it.each([
    ['the grace period of the Pod', {}],
    ['another grace period', { gracePeriodSeconds: 1 }],
  ])('is posted with the uid and %s', async (_reason, grace) => {
    const { writes, server } = await readFrom(answering({ kind: 'Status', status: 'Success' }, 201));
    expect(await writes.evict(podRef, { uid: 'u1', ...grace })).toEqual({ ok: true, value: undefined });
    const [received] = server.received;
    expect(received).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/app/pods/p1/eviction', query: {} });
    expect(JSON.parse(received?.body ?? '')).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p1', namespace: 'app' },
      deleteOptions: { preconditions: { uid: 'u1' }, ...grace },
    });
  });

  it('that a budget refuses is sent once, and its causes are kept', async () => {
    const cause = { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods' };
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const details = { retryAfterSeconds: 10, causes: [cause], name: 'p1', kind: 'pods' };
    const status = { kind: 'Status', reason: 'TooManyRequests', code: 429, message, details };
    const { writes, server } = await readFrom(answering(status, 429));
    expect(failureOf(await writes.evict(podRef, { uid: 'u1' }))).toEqual({
      reason: 'TooManyRequests',
      code: 429,
      message,
      retryAfterMs: 10_000,
      causes: [cause.message],
      details: { kind: 'pods', group: '', causes: [{ type: 'DisruptionBudget', field: '', message: cause.message }] },
    });
    expect(server.received).toHaveLength(1);
  });
});

describe('clients', () => {
  it('send a token over TLS only', async () => {
    const plain = await serve(answering(node));
    const tls = await serve(answering(node), { tls: true });
    const { api } = connect();
    const read = (server: FaultServer, version: string) =>
      api.reads(targetOf(plainKubeconfig({ server: server.url, ca: tls.ca, token: 't0ken' }), version), signal);
    expect((await read(plain, '1').get(nodeRef)).ok).toBe(true);
    expect((await read(tls, '2').get(nodeRef)).ok).toBe(true);
    expect([plain, tls].map(({ received }) => received[0]?.headers.authorization)).toEqual([undefined, 'Bearer t0ken']);
    expect(tls.received[0]?.headers['user-agent']).toBe('agent');
  });

  it('keep one connection per kubeconfig', async () => {
    const server = await serve(answering(node));
    const { api } = connect();
    const kubeconfig = plainKubeconfig({ server: server.url });
    for (let count = 0; count < 5; count += 1) {
      expect((await api.reads(targetOf(kubeconfig), signal).get(nodeRef)).ok).toBe(true);
    }
    expect(server.connections).toBe(1);
    expect((await api.reads(targetOf(kubeconfig, '2'), signal).get(nodeRef)).ok).toBe(true);
    expect(server.connections).toBe(2);
  });

  it('have at most eight connections per cluster', async () => {
    const server = await serve(answering(node));
    const { api } = connect();
    const reads = api.reads(targetOf(plainKubeconfig({ server: server.url })), signal);
    expect((await reads.get(nodeRef)).ok).toBe(true);
    await Promise.all(Array.from({ length: 30 }, () => reads.get(nodeRef)));
    expect(server.received).toHaveLength(31);
    expect(server.connections).toBe(8);
  });

  it('parse each version of a kubeconfig once', async () => {
    const server = await serve(answering(node));
    const { api } = connect();
    expect((await api.reads(targetOf(plainKubeconfig({ server: server.url })), signal).get(nodeRef)).ok).toBe(true);
    expect((await api.reads(targetOf('not parsed'), signal).get(nodeRef)).ok).toBe(true);
    expect((await api.reads(targetOf('parsed', '2'), signal).get(nodeRef)).ok).toBe(false);
  });

  it('are dropped if there are too many, the least recently used one first, with their connections', async () => {
    const closed: string[] = [];
    const server = await serve((_request, response) => {
      const agent = String(response.req.headers['user-agent']);
      response.req.socket.once('close', () => closed.push(agent));
      reply(response, 200, node);
    });
    const { api, writers } = connect({ capacity: 2 });
    const kubeconfig = plainKubeconfig({ server: server.url });
    const read = (uid: string) => api.reads(targetOf(kubeconfig, '1', uid), signal).get(nodeRef);
    for (const uid of ['a', 'b', 'a', 'c']) {
      expect((await read(uid)).ok).toBe(true);
    }
    expect(server.connections).toBe(3);
    expect(failureOf(await writers({ ...cluster, uid: 'b' }).delete(nodeRef)).message).toBe(
      'connection to the workload cluster is down',
    );
    expect((await read('a')).ok).toBe(true);
    expect(server.connections).toBe(3);
    await vi.waitFor(() => expect(closed).toHaveLength(1), { timeout: 300_000 });
  });

  it('write with the client of the latest reads', async () => {
    const old = await serve(answering(node));
    const renewed = await serve(answering(node));
    const { api, writers } = connect();
    const reads = api.reads(targetOf(plainKubeconfig({ server: old.url })), signal);
    expect((await reads.get(nodeRef)).ok).toBe(true);
    api.reads(targetOf(plainKubeconfig({ server: renewed.url }), '2'), signal);
    expect((await writers(cluster).mergePatch(nodeRef, {})).ok).toBe(true);
    expect([old.received.length, renewed.received.length]).toEqual([1, 1]);
  });
});
