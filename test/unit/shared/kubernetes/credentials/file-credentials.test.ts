import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InClusterError, loadInCluster } from '../../../../../shared/kubernetes/credentials/in-cluster.ts';
import { loadCredentials } from '../../../../../shared/kubernetes/credentials/load.ts';

let dir: string;
let file: string;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  dir = mkdtempSync(join(tmpdir(), 'capi-credentials-'));
  file = join(dir, 'config');
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

function writeKubeconfig(user: Record<string, unknown>, server = 'https://api.example.com'): void {
  const contexts = [{ name: 'x', context: { cluster: 'x', user: 'x' } }];
  const clusters = [{ name: 'x', cluster: { server } }];
  writeFileSync(file, JSON.stringify({ 'current-context': 'x', contexts, clusters, users: [{ name: 'x', user }] }));
}

it('returns the cached content for a second, and then the content of the file', async () => {
  writeKubeconfig({ token: 'one' });
  const credentials = await loadCredentials({ kubeconfigPath: file });
  expect(credentials.server).toBe('https://api.example.com');
  const before = await credentials.current();
  writeKubeconfig({ token: 'three' });
  expect((await credentials.current()).authorization).toBe('Bearer one');
  vi.advanceTimersByTime(1000);
  const after = await credentials.current();
  expect(after.authorization).toBe('Bearer three');
  expect(after.endpoint).toBe(before.endpoint);
});

it('notices a change of a file that the kubeconfig names', async () => {
  const tokenFile = join(dir, 'token');
  writeFileSync(tokenFile, 'first');
  writeKubeconfig({ tokenFile: 'token' });
  const credentials = await loadCredentials({ kubeconfigPath: file });
  vi.advanceTimersByTime(1000);
  await credentials.current();
  writeFileSync(tokenFile, 'second');
  vi.advanceTimersByTime(1000);
  expect((await credentials.current()).authorization).toBe('Bearer second');
});

it('returns another endpoint only if its content changed', async () => {
  writeKubeconfig({ token: 'one' });
  const credentials = await loadCredentials({ kubeconfigPath: file });
  const before = await credentials.current();
  writeKubeconfig({ token: 'one' }, 'https://other.example.com');
  expect(await credentials.refresh()).toBe(true);
  const after = await credentials.current();
  expect(after.endpoint).not.toBe(before.endpoint);
  expect(after.endpoint.server).toBe('https://other.example.com');
});

it('reports whether other credentials exist after a 401', async () => {
  writeKubeconfig({ token: 'one' });
  const credentials = await loadCredentials({ kubeconfigPath: file });
  expect(await credentials.refresh()).toBe(false);
  writeKubeconfig({ token: 'two' });
  expect(await Promise.all([credentials.refresh(), credentials.refresh()])).toEqual([true, true]);
  expect((await credentials.current()).authorization).toBe('Bearer two');
});

it('keeps the last credentials while the file is half written or missing', async () => {
  writeKubeconfig({ token: 'one' });
  const credentials = await loadCredentials({ kubeconfigPath: file });
  writeFileSync(file, '{"users": [');
  expect(await credentials.refresh()).toBe(false);
  rmSync(file);
  vi.advanceTimersByTime(1000);
  expect((await credentials.current()).authorization).toBe('Bearer one');
  writeKubeconfig({ token: 'two' });
  vi.advanceTimersByTime(1000);
  expect((await credentials.current()).authorization).toBe('Bearer two');
});

it('rejects when the first read fails', async () => {
  await expect(loadCredentials({ kubeconfigPath: file })).rejects.toThrow(file);
});

const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

it('reads the service account of a pod', async () => {
  writeFileSync(join(dir, 'token'), 'pod-token\n');
  writeFileSync(join(dir, 'ca.crt'), 'the authority');
  expect(await loadInCluster({ env, dir })).toEqual({
    endpoint: { server: 'https://10.0.0.1:443', ca: 'the authority', insecureSkipTlsVerify: false },
    authorization: 'Bearer pod-token',
    files: [join(dir, 'token'), join(dir, 'ca.crt')],
  });
  const loaded = await loadInCluster({ env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' }, dir });
  expect(loaded.endpoint.server).toBe('https://[fd00::1]:443');
});

it.each([
  ['outside a pod', {}, /CAPI_KUBECONFIG/],
  ['with the port alone', { KUBERNETES_SERVICE_PORT: '443' }, /CAPI_KUBECONFIG/],
  ['where no token is mounted', env, /token cannot be read/],
] as const)('refuses to run %s, with a remedy', async (_where, given, message) => {
  writeFileSync(join(dir, 'ca.crt'), 'the authority');
  const loading = loadInCluster({ env: given, dir });
  await expect(loading).rejects.toThrow(InClusterError);
  await expect(loading).rejects.toThrow(message);
});

it('rejects an empty token file', async () => {
  writeFileSync(join(dir, 'ca.crt'), 'the authority');
  writeFileSync(join(dir, 'token'), '\n');
  await expect(loadInCluster({ env, dir })).rejects.toThrow(/token is empty/);
});
