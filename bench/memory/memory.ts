// Section `memory`: the memory of the watch-forwarder's process, without objects and with many objects.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { declarations } from '../../functions/declarations.ts';
import { bundleProgram } from '../../infra/bundles/bundle.ts';
import { forwarderFlags, forwarderProgram } from '../../infra/function-plans.ts';
import { connect } from '../../local/connect.ts';
import { installCrds } from '../../local/crds.ts';
import { startEmbedded } from '../../local/embedded.ts';
import { startSqs } from '../../local/sqs.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { memoryOf } from '../process-usage.ts';
import type { Row, Say, Section } from '../section.ts';

/** Objects are created in parallel, because one at a time takes minutes. */
const writers = 20;
/** The time is longer than the forwarder keeps a key after its last message. */
const restMs = 10_000;

/** Makes Machines about as large as in production: 5 KiB each. */
const ballast = 'x'.repeat(4_000);

export async function measureMemory({
  objects,
  say,
}: {
  readonly objects: number;
  readonly say: Say;
}): Promise<Section> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-memory-'));
  const embedded = await startEmbedded({
    port: 0,
    kubeconfigPath: path.join(folder, 'kubeconfig'),
    dataFile: undefined,
  });
  const sqs = await startSqs({ queues: toQueueSpecs(toConsumers(declarations)) });
  try {
    const { kubernetes } = await connect(embedded.kubeconfigPath);
    await installCrds(kubernetes, coreCrds, { clock: systemClock });
    const { file: program } = await bundleProgram(forwarderProgram, folder);
    const env = { ...sqs.environment, CAPI_KUBECONFIG: embedded.kubeconfigPath, CAPI_PROBE_ADDRESS: '127.0.0.1:0' };
    say('memory: the forwarder without objects');
    const without = await measureForwarder(program, env);
    say(`memory: creating ${objects} Machines`);
    await createMachines(kubernetes, objects);
    say(`memory: the forwarder with ${objects} Machines`);
    const many = await measureForwarder(program, env);
    return toSection(objects, [many, without]);
  } finally {
    await sqs.stop();
    await embedded.stop();
    await rm(folder, { recursive: true });
  }
}

interface Usage {
  readonly residentMiB: number | null;
  readonly peakMiB: number | null;
  readonly heapMiB: number | null;
  readonly sent: number;
}

/** Starts the forwarder in its own process and waits until its first list is sent. */
async function measureForwarder(program: string, env: Readonly<Record<string, string>>): Promise<Usage> {
  const child = spawn(process.execPath, [...forwarderFlags, program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    const port = await portOf(child);
    const scrape = async (page: string) => fetch(`http://127.0.0.1:${port}${page}`);
    while ((await scrape('/readyz')).status !== 200) {
      await systemClock.sleep(100);
    }
    while (!(await (await scrape('/metrics')).text()).includes('capi_serverless_pending_messages 0\n')) {
      await systemClock.sleep(100);
    }
    await systemClock.sleep(restMs);
    const text = await (await scrape('/metrics')).text();
    const memory = child.pid === undefined ? null : memoryOf(child.pid);
    return {
      residentMiB: memory?.residentMiB ?? null,
      peakMiB: memory?.peakMiB ?? null,
      heapMiB: numberIn(text, /^nodejs_heap_size_used_bytes (\d+)$/m) / 1_024 ** 2,
      sent: numberIn(text, /^capi_serverless_sent_messages_total\{queue="work-cluster\.fifo"\} (\d+)$/m),
    };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
    process.off('exit', kill);
  }
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) {
    throw new Error('The forwarder has no output');
  }
  for await (const line of createInterface({ input: stdout })) {
    const { message, port }: { readonly message?: unknown; readonly port?: unknown } = JSON.parse(line);
    if (message === 'Answering probes' && typeof port === 'number') {
      // Later output is discarded, so that the process does not block.
      stdout.resume();
      return port;
    }
  }
  throw new Error('The forwarder ended before it answered probes');
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

async function createMachines(kubernetes: Kubernetes, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const write = async (): Promise<void> => {
    for (const number of numbers) {
      const created = await kubernetes.create({
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        metadata: {
          namespace: 'default',
          name: `m${number}`,
          labels: { 'cluster.x-k8s.io/cluster-name': `c${number}`, 'cluster.x-k8s.io/control-plane': '' },
          annotations: { ballast },
        },
        spec: {
          clusterName: `c${number}`,
          bootstrap: { dataSecretName: 's' },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'X', name: 'x' },
        },
      });
      if (!created.ok) {
        throw new Error(`Creating Machine m${number} failed: ${created.failure.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
}

function toSection(objects: number, usages: readonly [Usage, Usage]): Section {
  const row = (figure: string, of: (usage: Usage) => number | null): Row => ({
    figure,
    unit: 'MiB',
    values: usages.map(of),
  });
  return {
    name: 'memory',
    title: 'What the watch-forwarder’s process holds after its first list',
    subjects: [`${objects} Machines`, 'no objects'],
    rows: [
      row('resident', ({ residentMiB }) => residentMiB),
      row('resident, peak', ({ peakMiB }) => peakMiB),
      row('heap in use', ({ heapMiB }) => heapMiB),
      { figure: 'messages sent', unit: 'count', values: usages.map(({ sent }) => sent) },
    ],
    skipped: [],
  };
}
