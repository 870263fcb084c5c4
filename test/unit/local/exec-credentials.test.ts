import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveExecCredentials } from '../../../local/exec-credentials.ts';
import { KubeconfigError, loadKubeconfig } from '../../../shared/kubernetes/credentials/kubeconfig.ts';

const pem = '-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n';
/** A plugin that prints its variable ANSWER and appends its input to the token. */
const plugin = `
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const answer = JSON.parse(process.env.ANSWER);
if (answer.fail) { console.error('first line\\n' + answer.fail); process.exit(3); }
if (answer.status?.token) answer.status.token += '/' + info.apiVersion + '/' + (info.spec.cluster?.server ?? 'no-cluster');
console.log(JSON.stringify(answer));
`;

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'capi-exec-'));
  writeFileSync(join(dir, 'plugin.cjs'), plugin);
  writeFileSync(join(dir, 'ca.crt'), pem);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

function write(user: Record<string, unknown>): string {
  const file = join(dir, 'config');
  const contexts = [{ name: 'x', context: { cluster: 'x', user: 'x' } }];
  const clusters = [{ name: 'x', cluster: { server: 'https://api.example.com', 'certificate-authority': 'ca.crt' } }];
  writeFileSync(file, JSON.stringify({ 'current-context': 'x', contexts, clusters, users: [{ name: 'x', user }] }));
  return file;
}

function anExec(answer: unknown, more: Record<string, unknown> = {}): Record<string, unknown> {
  const env = [{ name: 'ANSWER', value: JSON.stringify(answer) }];
  const apiVersion = 'client.authentication.k8s.io/v1beta1';
  return { exec: { apiVersion, command: process.execPath, args: [join(dir, 'plugin.cjs')], env, ...more } };
}

/** Returns the resolved kubeconfig, written to another folder and read like functions read it. */
async function resolveAndLoad(user: Record<string, unknown>) {
  const plain = join(mkdtempSync(join(dir, 'plain-')), 'config');
  writeFileSync(plain, await resolveExecCredentials(write(user)));
  return loadKubeconfig(plain);
}

it('puts the token of the plugin into a kubeconfig that works anywhere', async () => {
  const loaded = await resolveAndLoad(anExec({ status: { token: 'answered' } }));
  expect(loaded.authorization).toBe('Bearer answered/client.authentication.k8s.io/v1beta1/no-cluster');
});

it('passes the cluster to a plugin that requests it', async () => {
  const text = await resolveExecCredentials(write(anExec({ status: { token: 't' } }, { provideClusterInfo: true })));
  expect(JSON.parse(text).users[0].user.token).toContain('/https://api.example.com');
});

it('puts the client certificate of the plugin into the kubeconfig', async () => {
  const key = '-----BEGIN EC PRIVATE KEY-----\neA==\n-----END EC PRIVATE KEY-----\n';
  const loaded = await resolveAndLoad(anExec({ status: { clientCertificateData: pem, clientKeyData: key } }));
  expect(loaded.endpoint).toMatchObject({ ca: pem, clientCertificate: pem, clientKey: key });
  expect(loaded.authorization).toBeUndefined();
});

it('passes on a user that runs no plugin', async () => {
  expect(await resolveAndLoad({ token: 'plain' })).toMatchObject({
    authorization: 'Bearer plain',
    endpoint: { ca: pem },
  });
});

it.each<[what: string, user: () => Record<string, unknown>, field: string, problem: RegExp]>([
  ['a plugin that fails', () => anExec({ fail: 'log in first' }), 'command', /ended with 3: log in first/],
  ['a plugin that is not there', () => anExec({}, { command: 'no-such-plugin' }), 'command', /ENOENT/],
  [
    'a missing plugin with a hint',
    () => anExec({}, { command: 'no-such', installHint: 'get it' }),
    'command',
    /; get it$/,
  ],
  ['a plugin that wants a terminal', () => anExec({}, { interactiveMode: 'Always' }), 'interactiveMode', /terminal/],
  ['a plugin without command', () => anExec({}, { command: '' }), 'command', /not valid/],
  ['an answer without credentials', () => anExec({ status: { clientKeyData: 's3cret' } }), '', /no ExecCredential/],
  ['an answer without status', () => anExec({ kind: 'Other', token: 's3cret' }), '', /no ExecCredential/],
])('refuses %s', async (_what, user, field, problem) => {
  const error = await resolveExecCredentials(write(user())).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KubeconfigError);
  const place = `users[name=x].user.exec${field === '' ? '' : `.${field}`}`;
  expect(error).toMatchObject({ field: place, message: expect.stringMatching(problem) });
  expect(String(error)).not.toContain('s3cret');
});

it('refuses a kubeconfig that is not there', async () => {
  await expect(resolveExecCredentials(join(dir, 'nothing'))).rejects.toThrow(KubeconfigError);
});
