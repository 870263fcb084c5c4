import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { KubeconfigError, loadKubeconfig } from '../../../../../shared/kubernetes/credentials/kubeconfig.ts';

const ca = '-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n';
const certificate = '-----BEGIN CERTIFICATE-----\nY2VydA==\n-----END CERTIFICATE-----\n';
const key = '-----BEGIN EC PRIVATE KEY-----\na2V5\n-----END EC PRIVATE KEY-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'capi-kubeconfig-'));
  mkdirSync(join(dir, 'pki'));
  writeFileSync(join(dir, 'pki', 'ca.crt'), ca);
  writeFileSync(join(dir, 'pki', 'client.crt'), certificate);
  writeFileSync(join(dir, 'pki', 'client.key'), key);
  writeFileSync(join(dir, 'token'), 'from-file\n');
  writeFileSync(join(dir, 'empty'), '\n');
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Parts {
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>> | null;
  readonly top?: Readonly<Record<string, unknown>>;
}

function aKubeconfig({ cluster = {}, user = {}, top = {} }: Parts = {}): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [
      { name: 'elsewhere', context: { cluster: 'other', user: 'other' } },
      { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'n' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://api.example.com:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    ...top,
  };
}

function write(content: unknown): string {
  const file = join(dir, 'config');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

async function refusalOf(file: string): Promise<KubeconfigError> {
  const error = await loadKubeconfig(file).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof KubeconfigError)) {
    throw new Error(`Expected a KubeconfigError, got ${String(error)}`);
  }
  return error;
}

describe('a kubeconfig', () => {
  it.each([
    ['JSON', (config: unknown) => JSON.stringify(config, undefined, 2)],
    ['YAML', (config: unknown) => stringify(config)],
  ])('is read as %s', async (_form, toText) => {
    const cluster = { 'certificate-authority-data': base64(ca), 'tls-server-name': 'kubernetes' };
    const file = write(toText(aKubeconfig({ cluster, user: { token: 't0ken' } })));
    expect(await loadKubeconfig(file)).toEqual({
      endpoint: {
        server: 'https://api.example.com:6443',
        ca,
        serverName: 'kubernetes',
        insecureSkipTlsVerify: false,
      },
      authorization: 'Bearer t0ken',
      files: [file],
    });
  });

  it('names files relative to itself', async () => {
    const file = write(
      aKubeconfig({
        cluster: { 'certificate-authority': 'pki/ca.crt' },
        user: {
          'client-certificate': './pki/client.crt',
          'client-key': join(dir, 'pki/client.key'),
          tokenFile: 'token',
        },
      }),
    );
    expect(await loadKubeconfig(file)).toEqual({
      endpoint: {
        server: 'https://api.example.com:6443',
        ca,
        clientCertificate: certificate,
        clientKey: key,
        insecureSkipTlsVerify: false,
      },
      authorization: 'Bearer from-file',
      files: [file, ...['pki/ca.crt', 'pki/client.crt', 'pki/client.key', 'token'].map(name => join(dir, name))],
    });
  });

  it.each<[reason: string, parts: Parts, expected: Record<string, unknown>]>([
    [
      'a tokenFile wins over a token',
      { user: { tokenFile: 'token', token: 'other' } },
      { authorization: 'Bearer from-file' },
    ],
    ['a user may have no credentials', { user: {} }, { authorization: undefined }],
    ['a user may be null', { user: null }, { authorization: undefined }],
    [
      'data wins over a file',
      { cluster: { 'certificate-authority-data': base64(ca), 'certificate-authority': 'missing' } },
      { endpoint: { ca } },
    ],
    [
      'a path below the host stays, without its last slash',
      { cluster: { server: 'https://rancher.example.com/k8s/clusters/c1/' } },
      { endpoint: { server: 'https://rancher.example.com/k8s/clusters/c1' } },
    ],
    [
      'TLS verification is skipped only if the kubeconfig requests it',
      { cluster: { 'insecure-skip-tls-verify': true } },
      { endpoint: { insecureSkipTlsVerify: true } },
    ],
    [
      'plugins of other users do not matter',
      { top: { users: [{ name: 'u' }, { name: 'v', user: { exec: {} } }] } },
      {},
    ],
    ['empty fields count as absent', { user: { token: '', exec: null }, cluster: { 'proxy-url': '' } }, {}],
  ])('is read: %s', async (_reason, parts, expected) => {
    expect(await loadKubeconfig(write(aKubeconfig(parts)))).toMatchObject(expected);
  });
});

describe('an unusable kubeconfig is rejected with the invalid field:', () => {
  const secret = 's3cret';

  it.each<[what: string, content: () => unknown, field: string, problem: RegExp]>([
    ['broken JSON', () => `{"users": [{"user": {"token": "${secret}"`, '', /neither JSON nor YAML/],
    ['broken YAML', () => `users: [${secret}\n  - {`, '', /neither JSON nor YAML/],
    ['another document', () => '- a\n- b\n', '', /another type/],
    ['a field of another type', () => aKubeconfig({ user: { token: [secret] } }), 'users.0.user.token', /another type/],
    ['no current context', () => aKubeconfig({ top: { 'current-context': '' } }), 'current-context', /not set/],
    [
      'an unknown context',
      () => aKubeconfig({ top: { 'current-context': 'nowhere' } }),
      'current-context',
      /"nowhere"/,
    ],
    ['an unknown cluster', () => aKubeconfig({ top: { clusters: [] } }), 'contexts[name=here].context.cluster', /"c"/],
    ['an unknown user', () => aKubeconfig({ top: { users: null } }), 'contexts[name=here].context.user', /"u"/],
    ['no server', () => aKubeconfig({ cluster: { server: '' } }), 'clusters[name=c].cluster.server', /URL/],
    [
      'a server without scheme',
      () => aKubeconfig({ cluster: { server: 'api:6443' } }),
      'clusters[name=c].cluster.server',
      /URL/,
    ],
    [
      'a server with a password in it',
      () => aKubeconfig({ cluster: { server: `https://me:${secret}@api` } }),
      'clusters[name=c].cluster.server',
      /URL/,
    ],
    [
      'a proxy',
      () => aKubeconfig({ cluster: { 'proxy-url': 'http://p' } }),
      'clusters[name=c].cluster.proxy-url',
      /not supported/,
    ],
    [
      'an exec plugin',
      () => aKubeconfig({ user: { exec: { command: 'aws' } } }),
      'users[name=u].user.exec',
      /local tools/,
    ],
    [
      'an auth provider',
      () => aKubeconfig({ user: { 'auth-provider': {} } }),
      'users[name=u].user.auth-provider',
      /tokenFile/,
    ],
    [
      'a password',
      () => aKubeconfig({ user: { username: 'me', password: secret } }),
      'users[name=u].user.username',
      /basic/,
    ],
    [
      'impersonation',
      () => aKubeconfig({ user: { as: 'root', token: secret } }),
      'users[name=u].user.as',
      /impersonation/,
    ],
    [
      'a key without certificate',
      () => aKubeconfig({ user: { 'client-key-data': base64(key) } }),
      'users[name=u].user.client-certificate',
      /go together/,
    ],
    [
      'a certificate without key',
      () => aKubeconfig({ user: { 'client-certificate': 'pki/client.crt' } }),
      'users[name=u].user.client-key',
      /go together/,
    ],
    [
      'data that is not PEM',
      () => aKubeconfig({ cluster: { 'certificate-authority-data': base64(secret) } }),
      'clusters[name=c].cluster.certificate-authority-data',
      /PEM block in base64/,
    ],
    [
      'a file that is not PEM',
      () => aKubeconfig({ cluster: { 'certificate-authority': 'token' } }),
      'clusters[name=c].cluster.certificate-authority',
      /no PEM block/,
    ],
    [
      'a missing file',
      () => aKubeconfig({ user: { tokenFile: 'missing' } }),
      'users[name=u].user.tokenFile',
      /missing.*ENOENT/,
    ],
    [
      'an empty token file',
      () => aKubeconfig({ user: { tokenFile: 'empty' } }),
      'users[name=u].user.tokenFile',
      /empty file/,
    ],
    [
      'a token with a line break',
      () => aKubeconfig({ user: { token: `${secret}\nx` } }),
      'users[name=u].user.token',
      /line breaks/,
    ],
  ])('%s', async (_what, content, field, problem) => {
    const file = write(content());
    const error = await refusalOf(file);
    expect(error.field).toBe(field);
    expect(error.file).toBe(file);
    expect(error.message).toContain(file);
    expect(error.message).toContain(error.remedy);
    expect(error.message).toMatch(problem);
    expect(error.message).not.toContain(secret);
  });

  it('a missing file', async () => {
    const file = join(dir, 'nothing');
    expect(await refusalOf(file)).toMatchObject({ file, field: '', message: expect.stringContaining('ENOENT') });
  });
});
