import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from '../../../../../shared/certificates/x509/authority.ts';
import { createSigner } from '../../../../../shared/certificates/x509/lazy-signer.ts';
import { createWorkload } from '../../../../../shared/kubernetes/rest/workload.ts';
import type { Probe } from '../../../../../shared/workload/port.ts';

const signal = new AbortController().signal;
let server: Server;
let port: number;
let kubeconfig: string;
let answer: RequestListener;
let seen: {
  readonly url: string | undefined;
  readonly agent: string | undefined;
  readonly connection: string | undefined;
}[] = [];

beforeAll(async () => {
  const authority = await createAuthority(Date.now());
  const certificate = await issueServerCertificate(authority, { address: '127.0.0.1', now: Date.now() });
  server = createServer(
    {
      cert: certificate.certificate,
      key: certificate.privateKey,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      seen.push({ url: request.url, agent: request.headers['user-agent'], connection: request.headers.connection });
      answer(request, response);
    },
  );
  port = await listen(server);
  const signed = await createSigner().kubeconfig({
    clusterName: 'c1',
    server: `https://127.0.0.1:${port}`,
    authority,
    now: Date.now(),
  });
  kubeconfig = signed.ok ? signed.value : '';
});

beforeEach(() => {
  addresses = 'any';
  seen = [];
  answer = (_request, response) => response.end('{"paths":[]}');
});

afterAll(() => server.close());

async function listen(of: Server): Promise<number> {
  await new Promise<void>(resolve => of.listen(0, '127.0.0.1', resolve));
  return (of.address() as AddressInfo).port; // true: it listens on TCP
}

let addresses: 'routable' | 'any' = 'any';

function probe(text = kubeconfig, timeoutMs?: number): Promise<Probe> {
  const workload = createWorkload({ userAgent: 'test', addresses, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  return workload.probe(
    { cluster: 'uid', origin: 'in Secret ns/c1-kubeconfig', kubeconfig: text, version: '1' },
    signal,
  );
}

describe('probing a workload cluster', () => {
  it('calls its API server with the generated kubeconfig, over a separate connection', async () => {
    answer = ({ socket }, response) => {
      response.writeHead('authorized' in socket && socket.authorized === true ? 200 : 401).end();
    };
    expect(await probe()).toEqual({ ok: true });
    expect(seen).toEqual([{ url: '/', agent: 'test', connection: 'close' }]);
  });

  it('parses each version of a kubeconfig once', async () => {
    const workload = createWorkload({ userAgent: 'test', addresses });
    const ask = (text: string, version: string): Promise<Probe> =>
      workload.probe({ cluster: 'uid', origin: 'here', kubeconfig: text, version }, signal);
    expect(await ask(kubeconfig, '1')).toEqual({ ok: true });
    expect(await ask('not parsed', '1')).toEqual({ ok: true });
    expect(await ask('parsed', '2')).toMatchObject({ ok: false });
  });

  it.each([401, 403, 500, 302])('fails on the status code %d', async status => {
    answer = (_request, response) => response.writeHead(status).end();
    expect(await probe()).toEqual({
      ok: false,
      error: `GET https://127.0.0.1:${port}/: answered with status ${status}`,
    });
  });

  it('fails on a timeout', async () => {
    answer = () => {};
    expect(await probe(kubeconfig, 50)).toEqual({ ok: false, error: 'no answer to the probe within 0.05 s' });
  });

  it('fails if no server listens', async () => {
    const other = createHttpServer();
    const free = await listen(other);
    await new Promise(resolve => other.close(resolve));
    expect(await probe(kubeconfig.replace(`:${port}`, `:${free}`))).toEqual({
      ok: false,
      error: expect.stringMatching(/^GET https:\/\/127\.0\.0\.1:\d+\/: .*ECONNREFUSED/),
    });
  });

  it('fails when the server has another CA', async () => {
    const other = await createAuthority(Date.now());
    const foreign = kubeconfig.replace(
      /certificate-authority-data: .*/,
      `certificate-authority-data: ${btoa(other.certificate)}`,
    );
    expect(await probe(foreign)).toMatchObject({ ok: false, error: expect.stringContaining('certificate') });
  });

  it.each([
    { text: 'nothing', reason: 'no kubeconfig' },
    { text: '{"a: [s3cr3t', reason: 'no YAML' },
  ])('fails with $reason, and never quotes it', async ({ text }) => {
    const found = await probe(text);
    expect(found).toMatchObject({ ok: false, error: expect.stringMatching(/^Kubeconfig in Secret ns\/c1-kubeconfig/) });
    expect(JSON.stringify(found)).not.toContain('s3cr3t');
  });

  it('does not read files that the kubeconfig names, because its author could obtain our files', async () => {
    const withFile = kubeconfig.replace(
      /client-certificate-data: .*\n.*client-key-data: .*/,
      'tokenFile: /etc/hostname',
    );
    expect(await probe(withFile)).toEqual({
      ok: false,
      error:
        'Kubeconfig in Secret ns/c1-kubeconfig, users[0].user.tokenFile: names a file, which is not read; ' +
        'put its content into the kubeconfig',
    });
    expect(seen).toEqual([]);
  });

  it.each(['127.0.0.1', '127.1', '0x7f000001', '[::ffff:127.0.0.1]', '169.254.169.254', '[fd00:ec2::254]'])(
    'calls no address that only the function can reach, unless the deployment allows it: %s',
    async host => {
      addresses = 'routable';
      expect(await probe(kubeconfig.replace('127.0.0.1', host))).toMatchObject({
        ok: false,
        error: expect.stringMatching(
          /^GET \S+ was not sent: .* metadata address, .* only with CAPI_REMOTE_ADDRESSES=any$/,
        ),
      });
      expect(seen).toEqual([]);
    },
  );

  it('checks the addresses of a name when it connects', async () => {
    const named = kubeconfig.replace('127.0.0.1', 'localhost');
    addresses = 'routable';
    expect(await probe(named)).toMatchObject({
      ok: false,
      error: expect.stringContaining('localhost cannot be called: '),
    });
    expect(seen).toEqual([]);
  });

  it('sends a token over TLS only', async () => {
    const tokens: (string | undefined)[] = [];
    const plain = createHttpServer((request, response) => {
      tokens.push(request.headers.authorization);
      response.end('{}');
    });
    const plainPort = await listen(plain);
    const withToken = kubeconfig.replace(/client-certificate-data: .*\n.*client-key-data: .*/, 'token: t0ken');
    answer = (request, response) => {
      tokens.push(request.headers.authorization);
      response.end('{}');
    };
    await probe(withToken);
    await probe(withToken.replace(`https://127.0.0.1:${port}`, `http://127.0.0.1:${plainPort}`));
    plain.close();
    expect(tokens).toEqual(['Bearer t0ken', undefined]);
  });
});
