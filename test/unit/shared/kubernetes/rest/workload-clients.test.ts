// The clients of workload clusters on the wire: kubeconfigs, connections and their number.
import { createServer, type LookupFunction } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAuthority } from '../../../../../shared/certificates/x509/authority.ts';
import { createSigner } from '../../../../../shared/certificates/x509/lazy-signer.ts';
import { isConnectionDown } from '../../../../../shared/workload/api.ts';
import { type FaultServer, reply } from '../../../../support/fault-server.ts';
import { plainKubeconfig } from '../../../../support/workload-kubeconfig.ts';
import {
  answering,
  closeServers,
  cluster,
  connect,
  failureOf,
  node,
  nodeRef,
  nodesQuery,
  podRef,
  readFrom,
  serve,
  signal,
  targetOf,
} from './workload-fixtures.ts';

afterEach(closeServers);

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
    await closeServers();
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

  it('drops a write, whose outcome is unknown, until a read closes the gate', async () => {
    const { reads, writes, server } = await readFrom((_request, response) => response.destroy());
    expect(failureOf(await writes.delete(nodeRef)).reason).toBe('UnknownOutcome');
    expect(failureOf(await writes.delete(nodeRef)).reason).toBe('UnknownOutcome');
    expect(failureOf(await reads.get(nodeRef)).reason).toBe('Unavailable');
    expect(failureOf(await writes.delete(nodeRef)).reason).toBe('Unavailable');
    expect(server.received).toHaveLength(3);
  });

  it('does not follow from one write that takes too long', async () => {
    const { reads, writes, server } = await readFrom(
      ({ method }, response) => {
        if (method === 'GET') {
          reply(response, 200, node);
        }
      },
      { limits: { requestTimeoutMs: 50 } },
    );
    const { reason, message } = failureOf(await writes.evict(podRef, { uid: 'u' }));
    expect([reason, message]).toEqual([
      'UnknownOutcome',
      'create pods/eviction app/p1: no complete answer within 0.05 s',
    ]);
    await reads.get(nodeRef);
    expect(server.received).toHaveLength(2);
  });

  it('is found by a write that cannot be sent', async () => {
    const server = await serve(answering(node));
    const { api, writers } = connect();
    const reads = api.reads(targetOf(plainKubeconfig({ server: server.url })), signal);
    await closeServers();
    const { message } = failureOf(await writers(cluster).delete(nodeRef));
    expect(message).toContain('ECONNREFUSED');
    expect(failureOf(await reads.get(nodeRef)).message).toBe(message);
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

  it('let a read wait for slow writes, which is not a lost connection', async () => {
    const server = await serve(({ method }, response) => {
      if (method === 'GET') {
        reply(response, 200, node);
      }
    });
    const { api, writers, clock } = connect();
    const reads = api.reads(targetOf(plainKubeconfig({ server: server.url })), signal);
    expect((await reads.get(nodeRef)).ok).toBe(true);
    const writes = Array.from({ length: 8 }, () => writers(cluster).delete(nodeRef));
    await vi.waitFor(() => expect(server.received).toHaveLength(9), { timeout: 300_000 });
    const waiting = reads.get(nodeRef);
    await clock.advance(10_000);
    const failure = failureOf(await waiting);
    expect(failure).toEqual({ reason: 'TooManyRequests', message: 'get nodes n1: no free connection within 10 s' });
    expect(isConnectionDown(failure)).toBe(false);
    await closeServers();
    expect((await Promise.all(writes)).map(failureOf).map(({ reason }) => reason)).toEqual(
      writes.map(() => 'UnknownOutcome'),
    );
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
