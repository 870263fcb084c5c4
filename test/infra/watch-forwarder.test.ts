// The watch-forwarder as in its container: one bundled file, environment variables, probes, signals, exit codes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { bundleProgram } from '../../infra/bundles/bundle.ts';
import { forwarderProgram } from '../../infra/function-plans.ts';
import { type Embedded, startEmbedded } from '../../local/embedded.ts';
import { type LocalSqs, localClient, startSqs } from '../../local/sqs.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import { parseRequest } from '../../shared/workqueue/message.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/sqs-queues.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { receiveAwaited } from '../support/received-messages.ts';
import { createTestClient } from '../support/test-client.ts';
import { timeLimitFactor } from '../support/time-limits.ts';

let folder: string;
let program: string;
let embedded: Embedded;
let sqs: LocalSqs;
let kubernetes: Kubernetes;
let running: Program | undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'capi-forwarder-'));
  program = (await bundleProgram(forwarderProgram, folder)).file;
  embedded = await startEmbedded({ port: 0, kubeconfigPath: path.join(folder, 'kubeconfig'), dataFile: undefined });
  sqs = await startSqs({ queues: toQueueSpecs(toConsumers(declarations)) });
  const credentials = await loadCredentials({ kubeconfigPath: embedded.kubeconfigPath });
  kubernetes = createTestClient({ credentials, client: 'test' });
  await installDefinitions(kubernetes, coreCrds);
});

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
});

afterAll(async () => {
  await sqs.stop();
  await embedded.stop();
  rmSync(folder, { recursive: true });
});

interface Program {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
  /** Returns the first past or future line with this message. Rejects if the process ends earlier. */
  line(message: string): Promise<Readonly<Record<string, unknown>>>;
  probe(page: string): Promise<{ readonly status: number; readonly text: string }>;
}

function start(env: Readonly<Record<string, string>>): Program {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'] ?? '', CAPI_PROBE_ADDRESS: '127.0.0.1:0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const lines: Readonly<Record<string, unknown>>[] = [];
  const reader = createInterface({ input: child.stdout }).on('line', text => lines.push(JSON.parse(text)));
  const ended = once(child, 'close').then(([code]) => code as number | null); // true: 'close' is emitted with this value
  const line: Program['line'] = async message => {
    for (;;) {
      const found = lines.find(one => one['message'] === message);
      if (found !== undefined) {
        return found;
      }
      const isOver = await Promise.race([once(reader, 'line').then(() => false), ended.then(() => true)]);
      if (isOver) {
        throw new Error(`The process ended before "${message}": ${stderr}`);
      }
    }
  };
  const started: Program = {
    child,
    stderr: () => stderr,
    ended,
    line,
    async probe(page) {
      const { port } = await line('Answering probes');
      const response = await fetch(`http://127.0.0.1:${port}${page}`);
      return { status: response.status, text: await response.text() };
    },
  };
  running = started;
  return started;
}

const environment = () => ({ ...sqs.environment, CAPI_KUBECONFIG: embedded.kubeconfigPath });

async function untilReady({ probe, ended }: Program): Promise<void> {
  const isOver = ended.then(() => true);
  while ((await probe('/readyz')).status !== 200) {
    if (await Promise.race([isOver, new Promise(resolve => setImmediate(() => resolve(false)))])) {
      throw new Error('The process ended before it was ready');
    }
  }
}

describe('the watch-forwarder process', () => {
  it('sends a new Cluster, counts it, and ends with 0 at SIGTERM', async () => {
    const forwarder = start(environment());
    await untilReady(forwarder);
    const created = await kubernetes.create({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { name: 'one', namespace: 'default' },
      spec: { controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } },
    });
    expect(created.ok).toBe(true);
    const client = localClient(sqs.endpoint);
    const queues = createSqsQueues({ queueUrls: sqs.queueUrls, client, timeLimitFactor });
    const [message] = await receiveAwaited(queues, 'work-cluster.fifo', 'the request for the new Cluster');
    expect(parseRequest(message?.body ?? '')).toMatchObject({
      cause: 'event',
      key: { namespace: 'default', name: 'one' },
    });
    expect((await forwarder.probe('/healthz')).text).toBe('ok\n');
    const { text } = await forwarder.probe('/metrics');
    expect(text).toContain('capi_serverless_source_events_total{source="Cluster.cluster.x-k8s.io",type="ADDED"} 1');
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    forwarder.child.kill('SIGTERM');
    expect(await forwarder.ended).toBe(0);
    expect(await forwarder.line('Stopped')).toMatchObject({ function: 'watch-forwarder', level: 'info', code: 0 });
    expect(forwarder.stderr()).toBe('');
  });

  it('is alive but not ready while the API server is unreachable, and can be stopped', async () => {
    const kubeconfig = path.join(folder, 'nowhere');
    writeFileSync(kubeconfig, JSON.stringify(nowhere));
    const forwarder = start({ ...environment(), CAPI_KUBECONFIG: kubeconfig });
    await forwarder.line('Waiting for the API server');
    expect((await forwarder.probe('/healthz')).status).toBe(200);
    expect(await forwarder.probe('/readyz')).toEqual({
      status: 503,
      text: 'The API server has not been reached yet\n',
    });
    forwarder.child.kill('SIGTERM');
    expect(await forwarder.ended).toBe(0);
  });

  it.each([
    {
      env: { CAPI_QUEUE_URLS: '' },
      problem: 'CAPI_QUEUE_URLS has no expand, work-cluster.fifo',
      reason: 'no queues',
    },
    { env: { CAPI_KUBECONFIG: '/nonexistent/file' }, problem: '/nonexistent/file', reason: 'no credentials' },
    { env: { CAPI_LOG_LEVEL: 'loud' }, problem: 'CAPI_LOG_LEVEL', reason: 'a wrong value' },
    { env: { CAPI_PROBE_ADDRESS: '192.0.2.1:1' }, problem: 'EADDRNOTAVAIL', reason: 'an address of another machine' },
  ])('fails to start and reports why in one line, with exit code 2: $reason', async ({ env, problem }) => {
    const forwarder = start({ ...environment(), ...env });
    expect(await forwarder.ended).toBe(2);
    expect(forwarder.stderr()).toContain(problem);
    expect(forwarder.stderr().trim().split('\n')).toHaveLength(1);
  });
});

const nowhere = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
};
