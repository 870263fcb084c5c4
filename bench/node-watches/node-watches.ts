// Section `node-watches`: the watch-forwarder's process while it watches the Nodes of many workload clusters.
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { declarations } from '../../functions/declarations.ts';
import { bundleProgram } from '../../infra/bundles/bundle.ts';
import { forwarderProgram } from '../../infra/function-plans.ts';
import { connect } from '../../local/connect.ts';
import { requireCrds } from '../../local/crds.ts';
import { startEmbedded } from '../../local/embedded.ts';
import { startSqs } from '../../local/sqs.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { toSecretData } from '../../shared/api/secret.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { type FaultServer, type Received, reply, startFaultServer } from '../../test/support/fault-server.ts';
import { plainKubeconfig } from '../../test/support/workload-kubeconfig.ts';
import { type ForwarderUsage, measureForwarder } from '../forwarder-process.ts';
import type { Row, Say, Section } from '../section.ts';

const nodesPerCluster = 5;

interface NodeWatchesOptions {
  /** The numbers of workload clusters, descending. */
  readonly sizes: readonly number[];
  readonly say: Say;
}

export async function measureNodeWatches({ sizes, say }: NodeWatchesOptions): Promise<Section> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capi-node-watches-'));
  const server = await startFaultServer(answerNodes);
  try {
    const { file: program } = await bundleProgram(forwarderProgram, folder);
    const usages: ForwarderUsage[] = [];
    for (const clusters of [...sizes, 0]) {
      say(`node-watches: ${clusters} workload clusters`);
      usages.push(await measure(clusters, { program, server, folder }));
    }
    return toSection(sizes, usages);
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
}

interface Measuring {
  readonly program: string;
  readonly server: FaultServer;
  readonly folder: string;
}

async function measure(clusters: number, { program, server, folder }: Measuring): Promise<ForwarderUsage> {
  const kubeconfigPath = path.join(folder, `kubeconfig-${clusters}`);
  const embedded = await startEmbedded({ port: 0, kubeconfigPath, dataFile: undefined });
  const sqs = await startSqs({ queues: toQueueSpecs(toConsumers(declarations)) });
  try {
    const { kubernetes } = await connect(kubeconfigPath);
    await requireCrds(kubernetes, coreCrds, { clock: systemClock });
    for (let number = 0; number < clusters; number += 1) {
      await createCluster(kubernetes, `c${number}`, server);
    }
    const env = {
      ...sqs.environment,
      CAPI_KUBECONFIG: kubeconfigPath,
      CAPI_PROBE_ADDRESS: '127.0.0.1:0',
      CAPI_WATCH_NODES: 'on',
      CAPI_REMOTE_ADDRESSES: 'any',
    };
    const until = clusters === 0 ? '' : `lists_total{source="Node"} ${clusters}\n`;
    return await measureForwarder({ program, env, until });
  } finally {
    await sqs.stop();
    await embedded.stop();
  }
}

/** Answers every workload cluster: a list of Nodes, and a watch without changes. */
function answerNodes({ query }: Received, response: ServerResponse): void {
  const items = Array.from({ length: nodesPerCluster }, (_, number) => ({
    metadata: { name: `n${number}`, uid: `u${number}`, resourceVersion: String(number + 1) },
  }));
  if (!('watch' in query)) {
    reply(response, 200, { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '9' }, items });
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  const object = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { resourceVersion: '9' } };
  response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

async function createCluster(kubernetes: Kubernetes, name: string, { url, ca }: FaultServer): Promise<void> {
  const namespace = 'default';
  const apiVersion = 'cluster.x-k8s.io/v1beta2';
  const kubeconfig = plainKubeconfig({ server: url, ca, token: 't' });
  const labels = { 'cluster.x-k8s.io/cluster-name': name };
  await create(kubernetes, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-kubeconfig` },
    data: { value: toSecretData(kubeconfig) },
  });
  const cluster = { apiVersion, kind: 'Cluster', namespace, name };
  const condition = { type: 'ControlPlaneInitialized', status: 'True', reason: 'Initialized', message: '' };
  await create(kubernetes, { apiVersion, kind: 'Cluster', metadata: { namespace, name }, spec: { paused: true } });
  await status(kubernetes, cluster, {
    conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  });
  for (let number = 0; number < nodesPerCluster; number += 1) {
    const machine = { apiVersion, kind: 'Machine', namespace, name: `${name}-m${number}` };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'X', name: 'x' };
    await create(kubernetes, {
      apiVersion,
      kind: 'Machine',
      metadata: { namespace, name: machine.name, labels },
      spec: {
        clusterName: name,
        bootstrap: { dataSecretName: 's' },
        infrastructureRef,
        providerID: `p://${machine.name}`,
      },
    });
    await status(kubernetes, machine, { nodeRef: { name: `n${number}` } });
  }
}

async function create(kubernetes: Kubernetes, object: Intent): Promise<void> {
  const created = await kubernetes.create(object);
  if (!created.ok) {
    throw new Error(`Creating ${object.kind} ${object.metadata.name} failed: ${created.failure.message}`);
  }
}

async function status(
  ...[kubernetes, ref, body]: [Kubernetes, Parameters<Kubernetes['get']>[0], object]
): Promise<void> {
  const patched = await kubernetes.mergePatch(ref, { status: body }, { subresource: 'status' });
  if (!patched.ok) {
    throw new Error(`Writing the status of ${ref.kind} ${ref.name} failed: ${patched.failure.message}`);
  }
}

function toSection(sizes: readonly number[], usages: readonly ForwarderUsage[]): Section {
  const row = (figure: string, unit: Row['unit'], of: (usage: ForwarderUsage) => number | null): Row => ({
    figure,
    unit,
    values: usages.map(of),
  });
  return {
    name: 'node-watches',
    title: `What the watch-forwarder’s process holds while it watches workload clusters with ${nodesPerCluster} Nodes each`,
    subjects: [...sizes.map(String), 'none'],
    rows: [
      row('resident', 'MiB', ({ residentMiB }) => residentMiB),
      row('resident, peak', 'MiB', ({ peakMiB }) => peakMiB),
      row('heap in use', 'MiB', ({ heapMiB }) => heapMiB),
      row('sockets', 'count', ({ sockets }) => sockets),
    ],
    skipped: [],
  };
}
