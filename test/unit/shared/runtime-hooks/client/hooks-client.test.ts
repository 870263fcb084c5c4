// The client with a real server: its requests, and the result of every kind of invalid response.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anIdentity,
  type FakeExtensionServer,
  type ServerAnswer,
  startExtensionServer,
} from '../../../../support/extension-server.ts';
import { makeSelfSignedCertificate } from '../../../../support/self-signed-certificate.ts';
import { aClient, anExchange, problemOf } from './loopback-client.ts';

const mebibyte = 1024 * 1024;
const success = { body: { status: 'Success' } };

let server: FakeExtensionServer;
let other: FakeExtensionServer;

beforeAll(async () => {
  const identity = await anIdentity();
  [server, other] = await Promise.all([startExtensionServer(identity), startExtensionServer(await anIdentity())]);
});

afterAll(() => Promise.all([server.close(), other.close()]));

describe('a call', () => {
  it('is a POST of JSON without content type and authorization, and accepts gzip', async () => {
    const { ask } = aClient(server);
    const number = server.received.length + 1;
    await ask(success);
    const { method, url, headers, body } = await server.call(number);
    expect([method, url]).toEqual([
      'POST',
      '/hooks.runtime.cluster.x-k8s.io/v1alpha1/beforeclustercreate/first?timeout=10s',
    ]);
    expect(headers).toMatchObject({ 'accept-encoding': 'gzip', 'user-agent': expect.stringContaining('capi-') });
    expect(Object.keys(headers)).not.toContain('content-type');
    expect(Object.keys(headers)).not.toContain('authorization');
    expect(JSON.parse(body)).toEqual({ kind: 'BeforeClusterCreateRequest', settings: {} });
  });

  it('reuses the connection of the previous call', async () => {
    const { ask } = aClient(server);
    const number = server.received.length + 1;
    await ask(success);
    await ask(success);
    expect((await server.call(number + 1)).connection).toBe((await server.call(number)).connection);
  });

  it('is sent again if a kept-alive connection was closed in the meantime', async () => {
    const { ask } = aClient(server);
    await ask(success);
    server.disconnect();
    expect(await ask(success)).toMatchObject({ ok: true });
  });

  it('is not sent again when a new connection breaks', async () => {
    const { ask } = aClient(server);
    const before = server.received.length;
    expect(await ask({ unreachable: '' })).toMatchObject({ ok: false, why: 'exchange' });
    expect(server.received.length - before).toBe(1);
  });

  it('reads a response in gzip', async () => {
    const { ask } = aClient(server);
    expect(await ask({ gzipped: { status: 'Success', message: 'small' } })).toEqual({
      ok: true,
      body: { status: 'Success', message: 'small' },
    });
  });

  it('reads a response of the maximum size', async () => {
    const { ask } = aClient(server);
    const rest = { status: 'Success', message: '' };
    const message = 'x'.repeat(20 * mebibyte - JSON.stringify(rest).length);
    expect(await ask({ body: { ...rest, message } })).toMatchObject({ ok: true });
  });

  it('ignores bytes after the response', async () => {
    const { ask } = aClient(server);
    expect(await ask({ raw: '{"status":"Success"} and more {' })).toEqual({ ok: true, body: { status: 'Success' } });
  });
});

describe('a bad answer', () => {
  it.each<{ readonly answer: ServerAnswer; readonly problem: RegExp; readonly reason: string }>([
    { answer: { raw: '' }, problem: /failed to decode response: the body is empty$/, reason: 'an empty body' },
    { answer: { raw: ' \n' }, problem: /failed to decode response: the body is empty$/, reason: 'only whitespace' },
    { answer: { raw: '<html>' }, problem: /failed to decode response: .*not valid JSON$/, reason: 'not JSON' },
    { answer: { raw: '{"status":"Suc' }, problem: /failed to decode response: /, reason: 'cut JSON' },
    { answer: { raw: '['.repeat(100_000) }, problem: /nested deeper than 200 levels$/, reason: 'nested too deep' },
    {
      answer: { raw: `{"variables":[${'[],'.repeat(300_000)}[]]}` },
      problem: /more than 200000 values$/,
      reason: 'small when compressed, huge in memory',
    },
    {
      answer: { raw: Buffer.from('{"status":"Success"}'), encoding: 'gzip' },
      problem: /the answer was cut off \(incorrect header check/,
      reason: 'not gzip',
    },
    {
      answer: { raw: gzipSync('{"status":"Success"}').subarray(0, 20), encoding: 'gzip' },
      problem: /the answer was cut off \(unexpected end of file/,
      reason: 'truncated gzip',
    },
    { answer: { bombBytes: 24 * mebibyte }, problem: /the answer is larger than 20971520 bytes$/, reason: 'gzip bomb' },
    { answer: { hugeBytes: 24 * mebibyte }, problem: /the answer is larger than 20971520 bytes$/, reason: 'huge' },
    {
      answer: { halfClosed: true },
      problem: /the answer was cut off \(/,
      reason: 'the connection closes during the body',
    },
  ])('fails the call ($reason)', async ({ answer, problem }) => {
    const { ask } = aClient(server);
    const exchanged = await ask(answer);
    expect(exchanged).toMatchObject({ ok: false, why: 'exchange' });
    expect(problemOf(exchanged)).toMatch(/^http call failed: /);
    expect(problemOf(exchanged)).toMatch(problem);
    expect(problemOf(exchanged).length).toBeLessThan(500);
  });

  it('is not followed if it is a redirect', async () => {
    const { ask } = aClient(server);
    const before = other.received.length;
    expect(problemOf(await ask({ redirect: `${other.url}/` }))).toBe(
      'http call failed: got response with status code 302 != 200: response : ""',
    );
    expect(other.received.length).toBe(before);
  });

  it('is quoted up to the length limit of a condition', async () => {
    const { ask } = aClient(server);
    const problem = problemOf(await ask({ status: 500, text: 'x'.repeat(mebibyte) }));
    expect(problem).toMatch(/^http call failed: got response with status code 500 != 200: response : "x{2047}…"$/);
  });

  it('does not extend the timeout by arriving byte by byte', async () => {
    const { ask, clock } = aClient(server);
    const number = server.received.length + 1;
    const exchanged = ask({ drip: true });
    const call = await server.call(number);
    for (let second = 0; second < 9; second += 1) {
      call.drip();
      await clock.advance(1000);
    }
    await clock.advance(1000);
    expect(problemOf(await exchanged)).toBe(
      `http call failed: Post "${anExchange(server).url}": http request timeout expired`,
    );
  });

  it('leaves nothing that blocks the next call', async () => {
    const { ask, clock } = aClient(server);
    await ask({ bombBytes: 24 * mebibyte });
    await ask({ halfClosed: true });
    expect(await ask(success)).toMatchObject({ ok: true });
    expect(clock.sleepers).toBe(0);
  });
});

describe('trust', () => {
  it('is refused to a server of another CA, and the remedy is named', async () => {
    const { ask } = aClient(server);
    const before = server.received.length;
    const exchanged = await ask(success, { caBundle: other.ca });
    expect(exchanged).toMatchObject({ ok: false, why: 'exchange' });
    expect(problemOf(exchanged)).toContain('; its certificate is not of an authority in spec.clientConfig.caBundle');
    expect(server.received.length).toBe(before);
  });

  it('is refused to a server of an unknown CA if no CA is configured', async () => {
    const { ask } = aClient(server);
    expect(await ask(success, { caBundle: '' })).toMatchObject({ ok: false, why: 'exchange' });
  });

  it('is refused to a server without TLS, with the same message each time', async () => {
    const plain = createServer((_request, response) => response.end('{"status":"Success"}'));
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo; // true: a TCP server that listens has an address of this type
    const url = `https://127.0.0.1:${port}/`;
    const { ask } = aClient(server);
    const problem = problemOf(await ask(success, { url }));
    expect(problem).toMatch(/^http call failed: Post "https:\/\/127\.0\.0\.1:\d+\/": .*wrong version number/);
    expect(problem).not.toMatch(/[0-9A-F]{9}|\n/);
    plain.close();
  });

  it('is refused to a server with another name', async () => {
    const lookup = loopback;
    const { ask } = aClient(server, { lookup });
    const exchanged = await ask(success, { url: anExchange(server).url.replace('127.0.0.1', 's.n.svc') });
    expect(problemOf(exchanged)).toContain("does not match certificate's altnames");
  });

  it('uses the readable certificates of a bundle', async () => {
    const { ask } = aClient(server);
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(await ask(success, { caBundle: `${broken}${other.ca}${server.ca}` })).toMatchObject({ ok: true });
    expect(await ask(success, { caBundle: broken })).toEqual({
      ok: false,
      why: 'client',
      error: 'failed to get http client: spec.clientConfig.caBundle holds no certificate that can be read',
    });
  });

  it('is granted to a Service by its DNS name, which is the TLS server name', async () => {
    const service = await startExtensionServer(await anIdentity('s.n.svc'));
    const { ask } = aClient(service, { lookup: loopback });
    expect(await ask(success, { url: anExchange(service).url.replace('127.0.0.1', 's.n.svc') })).toMatchObject({
      ok: true,
    });
    const { method, serverName, headers } = await service.call(1);
    expect([method, serverName, headers.host]).toEqual(['POST', 's.n.svc', `s.n.svc:${service.port}`]);
    await service.close();
  });

  it('reports the requirement for calling a Service whose name cannot be resolved', async () => {
    const { ask } = aClient(server, {
      lookup: (hostname, _options, done) =>
        done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), ''),
    });
    expect(problemOf(await ask(success, { url: 'https://s.n.svc:443/x' }))).toMatch(
      /getaddrinfo ENOTFOUND s\.n\.svc; CAPI_EXTENSION_SERVICES=dns takes a name server that knows the Services/,
    );
  });
});

describe('an address that only this process can reach', () => {
  const settings = { services: 'dns', addresses: 'routable', certificate: { kind: 'none' } } as const;

  it('is not called', async () => {
    const { ask } = aClient(server, { settings });
    const before = server.received.length;
    expect(await ask(success)).toEqual({
      ok: false,
      why: 'client',
      error:
        'failed to get http client: 127.0.0.1 is a loopback, link-local, multicast, tunnel or metadata address, which is called only with CAPI_REMOTE_ADDRESSES=any',
    });
    expect(await ask(success, { url: `https://[::1]:${server.port}/` })).toMatchObject({ ok: false, why: 'client' });
    expect(server.received.length).toBe(before);
  });

  it('is not called by name either', async () => {
    const { ask } = aClient(server, { settings });
    const exchanged = await ask(success, { url: anExchange(server).url.replace('127.0.0.1', 'localhost') });
    expect(problemOf(exchanged)).toContain('localhost cannot be called: ');
  });
});

describe('the client certificate', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-hooks-'));
  const files = {
    kind: 'files',
    certificate: path.join(folder, 'tls.crt'),
    key: path.join(folder, 'tls.key'),
  } as const;
  const settings = { services: 'refuse', addresses: 'any', certificate: files } as const;
  const [first, second] = [makeSelfSignedCertificate('one'), makeSelfSignedCertificate('two')];

  afterAll(() => rmSync(folder, { recursive: true }));

  function write({ certificatePem, keyPem }: typeof first): void {
    writeFileSync(files.certificate, certificatePem);
    writeFileSync(files.key, keyPem);
  }

  function fingerprintOf({ certificatePem }: typeof first): string {
    return new X509Certificate(certificatePem).fingerprint256;
  }

  it('has its own error while it cannot be read', async () => {
    const { ask } = aClient(server, { settings });
    const exchanged = await ask(success);
    expect(exchanged).toMatchObject({ ok: false, why: 'client' });
    expect(problemOf(exchanged)).toContain('failed to get http client: the client certificate cannot be used: ENOENT');
  });

  it('is replaced, with a new connection, as soon as its files change', async () => {
    write(first);
    const { ask } = aClient(server, { settings });
    const number = server.received.length + 1;
    await ask(success);
    write(second);
    await ask(success);
    const [before, after] = [await server.call(number), await server.call(number + 1)];
    expect([before.clientFingerprint, after.clientFingerprint]).toEqual([fingerprintOf(first), fingerprintOf(second)]);
    expect(after.connection).not.toBe(before.connection);
  });

  it('is kept while only one of its files has changed', async () => {
    write(first);
    const { ask } = aClient(server, { settings });
    const number = server.received.length + 1;
    await ask(success);
    writeFileSync(files.key, second.keyPem);
    await ask(success);
    expect((await server.call(number + 1)).clientFingerprint).toBe(fingerprintOf(first));
  });

  it('has its own error if the secret does not hold both parts', async () => {
    const secret = { kind: 'secret', arn: 'arn:secret' } as const;
    for (const text of [first.certificatePem, first.keyPem, 'nonsense']) {
      const { ask } = aClient(server, { settings: { ...settings, certificate: secret }, readSecret: async () => text });
      expect(problemOf(await ask(success))).toBe(
        'failed to get http client: the client certificate cannot be used: secret arn:secret must hold a certificate and its key, both in PEM',
      );
    }
  });

  it('comes from a secret that is read every five minutes', async () => {
    const reads: string[] = [];
    const pairs = [first, second];
    const { ask, clock } = aClient(server, {
      settings: { services: 'refuse', addresses: 'any', certificate: { kind: 'secret', arn: 'arn:secret' } },
      readSecret: async arn => {
        const { certificatePem, keyPem } = pairs[reads.push(arn) - 1] ?? first;
        return `${keyPem}${certificatePem}`;
      },
    });
    const number = server.received.length + 1;
    await ask(success);
    await ask(success);
    expect(reads).toEqual(['arn:secret']);
    await clock.advance(300_000);
    await ask(success);
    const prints = await Promise.all([0, 1, 2].map(async at => (await server.call(number + at)).clientFingerprint));
    expect(prints).toEqual([first, first, second].map(fingerprintOf));
  });
});

describe('metrics', () => {
  it('count each attempt by code and status, before any failure policy', async () => {
    const { ask, metrics } = aClient(server);
    await ask(success);
    await ask({ body: { status: 'Failure' } });
    await ask({ body: {} });
    await ask({ body: { status: 'an arbitrary text' } });
    await ask({ status: 500, text: '' });
    await ask({ unreachable: '' });
    await ask(success, { caBundle: 'none' });
    const common = {
      host: `127.0.0.1:${server.port}`,
      group: 'hooks.runtime.cluster.x-k8s.io',
      version: 'v1alpha1',
      hook: 'BeforeClusterCreate',
    };
    const counted = metrics.snapshot().filter(({ name }) => name === 'capi_runtime_sdk_requests_total');
    expect(counted.map(({ labels, count }) => [labels['code'], labels['status'], count])).toEqual([
      ['200', 'Success', 1],
      ['200', 'Failure', 1],
      ['200', 'Unknown', 1],
      ['200', 'Other', 1],
      ['500', 'Unknown', 1],
      ['<error>', 'Unknown', 1],
    ]);
    expect(counted[0]?.labels).toMatchObject(common);
    const timed = metrics.snapshot().filter(({ name }) => name === 'capi_runtime_sdk_request_duration_seconds');
    expect(timed.map(({ labels, count }) => [labels, count])).toEqual([[common, 6]]);
  });
});

/** Every name resolves to this machine. */
const loopback: LookupFunction = (_hostname, options, done) => {
  if (options.all === true) {
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  } else {
    done(null, '127.0.0.1', 4);
  }
};
