// Measures one API server.
import type { Answer, Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { coreCrds } from '../../shared/api/crds.ts';
import { define } from '../../test/support/definitions.ts';
import { connectWorldClient } from '../../test/support/world-client.ts';
import { cpuMsOf, memoryOf } from '../process-usage.ts';
import type { Say } from '../section.ts';
import type { RunningServer, Server } from './servers.ts';

export interface ServerSizes {
  readonly starts: number;
  readonly clusters: number;
  /** The figures per kind of request. */
  readonly requests: number;
}

/** Requests of one kind. Sixteen requests are in progress at any time. */
export interface Rate {
  readonly perSecond: number;
  /** The number of requests per second of CPU time of all processes of the server. Null if unknown. */
  readonly perCpuSecond: number | null;
}

export interface ServerMeasurements {
  /** The time from the start of its processes until it is ready, for each start. */
  readonly readyMs: readonly number[];
  /** The CPU time of all processes until the server is ready, for each start. Empty if unknown. */
  readonly readyCpuMs: readonly number[];
  /** The memory of all processes. Null if unknown. */
  readonly emptyMiB: number | null;
  readonly fullMiB: number | null;
  readonly creates: Rate;
  readonly patches: Rate;
  readonly configMaps: Rate;
  readonly reads: Rate;
}

const atOnce = 16;
const namespace = 'default';

export async function measureServer(
  server: Server,
  { sizes, say }: { readonly sizes: ServerSizes; readonly say: Say },
): Promise<ServerMeasurements> {
  const readyMs: number[] = [];
  const readyCpuMs: number[] = [];
  for (let start = 1; ; start += 1) {
    const startedAt = performance.now();
    const running = await server.start();
    readyMs.push(performance.now() - startedAt);
    readyCpuMs.push(...[cpuMs(running.pids)].filter(ms => ms !== null));
    try {
      if (start === sizes.starts) {
        say(`${server.title}: ${sizes.clusters} Clusters, ${sizes.requests} requests of each kind`);
        return { readyMs, readyCpuMs, ...(await work(running, sizes)) };
      }
    } finally {
      await running.stop();
    }
  }
}

async function work(
  running: RunningServer,
  sizes: ServerSizes,
): Promise<Omit<ServerMeasurements, 'readyMs' | 'readyCpuMs'>> {
  const client = await connectWorldClient(running.kubeconfigPath);
  const { kubernetes } = client;
  await define(client, coreCrds);
  const nameOf = (index: number): string => `cluster-${index % sizes.clusters}`;
  const emptyMiB = memoryMiB(running);
  const creates = await measureRate(running, sizes.clusters, index => kubernetes.create(toCluster(nameOf(index))));
  const fullMiB = memoryMiB(running);
  const patches = await measureRate(running, sizes.requests, index =>
    kubernetes.mergePatch(refTo(nameOf(index)), { metadata: { labels: { round: `r${index}` } } }),
  );
  const configMaps = await measureRate(running, sizes.requests, index => kubernetes.create(toConfigMap(index)));
  const reads = await measureRate(running, sizes.requests, index => kubernetes.get(refTo(nameOf(index))));
  return { emptyMiB, fullMiB, creates, patches, configMaps, reads };
}

/** Rejects if a request is refused. */
async function measureRate(
  { pids }: RunningServer,
  count: number,
  send: (index: number) => ReturnType<Kubernetes['get']>,
): Promise<Rate> {
  const cpuBefore = cpuMs(pids);
  const startedAt = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      check(await send(next - 1));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuAfter = cpuMs(pids);
  const cpuSeconds = cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / 1000;
  return { perSecond: count / seconds, perCpuSecond: cpuSeconds === null ? null : count / cpuSeconds };
}

function check(answer: Answer<unknown>): void {
  if (!answer.ok) {
    throw new Error(`The API server refused a request of the bench: ${answer.failure.message}`);
  }
}

function memoryMiB({ pids }: RunningServer): number | null {
  return total(pids.map(pid => memoryOf(pid)?.residentMiB ?? null));
}

function cpuMs(pids: readonly number[]): number | null {
  return total(pids.map(cpuMsOf));
}

function total(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}

const clusterKind = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' } as const;

function refTo(name: string) {
  return { ...clusterKind, namespace, name };
}

function toCluster(name: string): Intent {
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DevCluster', name };
  const spec = { infrastructureRef, controlPlaneEndpoint: { host: '10.0.0.1', port: 6443 } };
  return { ...clusterKind, metadata: { name, namespace, labels: { team: 'bench' } }, spec };
}

function toConfigMap(index: number): Intent {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${index}`, namespace }, data: { a: 'b' } };
}
