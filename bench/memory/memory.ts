// Section `memory`: the memory of the watch-forwarder's process, without objects and with many objects.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { declarations } from '../../functions/declarations.ts';
import { bundleProgram } from '../../infra/bundles/bundle.ts';
import { forwarderProgram } from '../../infra/function-plans.ts';
import { connect } from '../../local/connect.ts';
import { requireCrds } from '../../local/crds.ts';
import { startEmbedded } from '../../local/embedded.ts';
import { startSqs } from '../../local/sqs.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { type ForwarderUsage, measureForwarder } from '../forwarder-process.ts';
import type { Row, Say, Section } from '../section.ts';

/** Objects are created in parallel, because one at a time takes minutes. */
const writers = 20;
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
    await requireCrds(kubernetes, coreCrds, { clock: systemClock });
    const { file: program } = await bundleProgram(forwarderProgram, folder);
    const env = { ...sqs.environment, CAPI_KUBECONFIG: embedded.kubeconfigPath, CAPI_PROBE_ADDRESS: '127.0.0.1:0' };
    say('memory: the forwarder without objects');
    const without = await measureForwarder({ program, env });
    say(`memory: creating ${objects} Machines`);
    await createMachines(kubernetes, objects);
    say(`memory: the forwarder with ${objects} Machines`);
    const many = await measureForwarder({ program, env });
    return toSection(objects, [many, without]);
  } finally {
    await sqs.stop();
    await embedded.stop();
    await rm(folder, { recursive: true });
  }
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

function toSection(objects: number, usages: readonly [ForwarderUsage, ForwarderUsage]): Section {
  const row = (figure: string, of: (usage: ForwarderUsage) => number | null): Row => ({
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
