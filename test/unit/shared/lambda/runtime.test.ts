import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { refused } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../../shared/config/env.ts';
import { type LogFact, logs, type RequestFact, requests } from '../../../../shared/diagnostics/channels.ts';
import { createRuntime, readManagementCluster } from '../../../../shared/lambda/runtime.ts';
import { type FaultServer, reply, startFaultServer } from '../../../support/fault-server.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const kubeSystem = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };

let dir: string;
let kubeconfig: string;
let server: FaultServer;

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'capi-runtime-'));
  kubeconfig = path.join(dir, 'kubeconfig');
  server = await startFaultServer((_request, response) =>
    reply(response, 200, { metadata: { name: 'kube-system', uid: 'the-uid' } }),
  );
  vi.stubEnv('CAPI_KUBECONFIG', kubeconfig);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

function writeKubeconfig(): void {
  const cluster = { server: server.url, 'certificate-authority-data': Buffer.from(server.ca).toString('base64') };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'x',
      clusters: [{ name: 'x', cluster }],
      users: [{ name: 'x', user: { token: 'secret' } }],
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    }),
  );
}

describe('the runtime of a function', () => {
  it('fails to start in an invalid environment', () => {
    vi.stubEnv('CAPI_LOG_LEVEL', 'loud');
    expect(() => createRuntime('cluster')).toThrow(ConfigError);
  });

  it('shares credentials with the other functions of its process', async () => {
    writeKubeconfig();
    await createRuntime('cluster').kubernetes();
    rmSync(kubeconfig);
    const client = await createRuntime('topology').kubernetes();
    expect(await client.get(kubeSystem)).toMatchObject({ ok: true });
  });

  it('logs under the name of its function, at the level of the environment', () => {
    vi.stubEnv('CAPI_LOG_LEVEL', 'error');
    const lines: unknown[] = [];
    const keep = (fact: unknown): void => {
      lines.push((fact as LogFact).line); // true: this channel has no other facts
    };
    logs.subscribe(keep);
    const { log } = createRuntime('cluster');
    log.info('Starting');
    log.error('Starting failed', 'why');
    logs.unsubscribe(keep);
    expect(lines).toMatchObject([{ function: 'cluster', message: 'Starting failed' }]);
  });

  it('needs no API server before its first use', () => {
    createRuntime('cluster');
    expect(server.received).toEqual([]);
  });

  it('has one client, whose requests carry the name of the function', async () => {
    writeKubeconfig();
    const { kubernetes } = createRuntime('cluster');
    const clients: string[] = [];
    const keep = (fact: unknown): void => {
      clients.push((fact as RequestFact).client); // true: this channel has no other facts
    };
    requests.subscribe(keep);
    const [first, second] = await Promise.all([kubernetes(), kubernetes()]);
    await first.get(kubeSystem);
    requests.unsubscribe(keep);
    expect(second).toBe(first);
    expect(clients).toEqual(['cluster']);
  });

  it('reads the management cluster once', async () => {
    writeKubeconfig();
    const { managementCluster } = createRuntime('cluster');
    expect(await Promise.all([managementCluster(), managementCluster()])).toEqual(['the-uid', 'the-uid']);
    expect(await managementCluster()).toBe('the-uid');
    expect(server.received).toHaveLength(1);
  });

  it('takes the management cluster from the environment if it is set', async () => {
    vi.stubEnv('CAPI_MANAGEMENT_CLUSTER', 'given');
    expect(await createRuntime('cluster').managementCluster()).toBe('given');
    expect(server.received).toEqual([]);
  });

  it('does not cache a failure: the next call retries', async () => {
    const { managementCluster } = createRuntime('cluster');
    await expect(managementCluster()).rejects.toThrow('kubeconfig');
    writeKubeconfig();
    expect(await managementCluster()).toBe('the-uid');
  });

  it('gives up on a server that never answers, well below any timeout, and connects with the next call', async () => {
    await server.close();
    let answers = false;
    server = await startFaultServer((_request, response) => {
      if (answers) {
        reply(response, 200, { metadata: { name: 'kube-system', uid: 'the-uid' } });
      }
    });
    writeKubeconfig();
    const clock = new SteppedClock();
    const { connect } = createRuntime('cluster', { clock });
    const connecting = connect(new AbortController().signal);
    const failure = expect(connecting).rejects.toThrow('Reading namespace kube-system');
    await vi.waitUntil(() => server.received.length === 1, { timeout: 300_000 });
    await clock.advance(10_000);
    await failure;
    answers = true;
    const { managementCluster } = await connect(new AbortController().signal);
    expect(managementCluster).toBe('the-uid');
    expect(clock.sleepers).toBe(0);
  });

  it('gives requests of a connection the signal of the invocation', async () => {
    writeKubeconfig();
    const invocation = new AbortController();
    const { kubernetes } = await createRuntime('cluster').connect(invocation.signal);
    invocation.abort();
    expect(await kubernetes.get(kubeSystem)).toMatchObject({ ok: false, failure: { reason: 'Aborted' } });
  });
});

describe('the management cluster', () => {
  it('is named by the uid of its kube-system namespace', async () => {
    const api = createMemoryApi();
    expect(await readManagementCluster(api.kubernetes)).toBe(api.read(kubeSystem).metadata.uid);
  });

  it('is read again later if it cannot be read', async () => {
    const failing = { metadata: async () => refused({ reason: 'Unavailable', message: 'no answer' }) };
    await expect(readManagementCluster(failing)).rejects.toThrow(
      new RetryableError('Reading namespace kube-system failed: no answer'),
    );
  });

  it('is read after the wait that the API server requests', async () => {
    const failing = { metadata: async () => refused({ reason: 'Unavailable', message: 'down', retryAfterMs: 7_000 }) };
    await expect(readManagementCluster(failing)).rejects.toMatchObject({ retryAfterMs: 7_000 });
  });
});
