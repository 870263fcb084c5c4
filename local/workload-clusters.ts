// The simulated workload clusters of a local run, by Cluster. Each is created by its first request.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, type Name, type Reads, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { createListener } from '@capi-serverless/apiserver/http';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { coreApiVersion } from './provider/machines/machine-controller.ts';
import { find, must, together } from './provider/machines/read.ts';
import { nodesOfMachines, nodesOfPools } from './provider/workload/simulated-node.ts';
import {
  createWorkloadCore,
  type SimulatedWorkloadCluster,
  simulateWorkloadCluster,
} from './provider/workload/simulated-workload-cluster.ts';

/** The most workload clusters of one run. Those that were not requested for the longest time are dropped. */
const maxWorkloadClusters = 1000;

/** The time for which the machines of a Cluster are not read again. */
const readPeriodMs = 250;

/** How often the objects follow the clock while a client watches them. */
const watchPeriodMs = 1000;

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const watchSeconds = 1800;

interface Entry {
  /** The uid of the Cluster. "" if it does not exist. */
  readonly uid: string;
  readonly simulated: SimulatedWorkloadCluster;
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
}

interface Known {
  readonly entry: Promise<Entry>;
  readonly readAt: number;
}

export interface LocalWorkloadOptions {
  readonly clock: Clock;
  /** The management cluster. Without it, there are no Nodes. */
  readonly reads: Pick<Reads, 'get' | 'list'> | undefined;
}

export class LocalWorkloadClusters {
  readonly #options: LocalWorkloadOptions;
  readonly #stopping = new AbortController();
  readonly #clusters = new Map<string, Known>();

  constructor(options: LocalWorkloadOptions) {
    this.#options = options;
  }

  /** The number of workload clusters in memory. */
  get size(): number {
    return this.#clusters.size;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Answers a request whose URL is relative to this Cluster. Rejects if the management cluster cannot be read. */
  async serve(cluster: Name, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { listener } = await this.#current(cluster);
    if (new URL(request.url ?? '/', 'https://workload').searchParams.has('watch')) {
      void this.#followWhileOpen(cluster, response);
    }
    listener(request, response);
  }

  async #current(cluster: Name): Promise<Entry> {
    const clusters = this.#clusters;
    const key = toDisplayName(cluster);
    const known = clusters.get(key);
    const now = this.#options.clock.now();
    if (known !== undefined && now - known.readAt < readPeriodMs) {
      return known.entry;
    }
    const entry = this.#follow(cluster, known?.entry);
    // The last entries are those of the latest requests.
    clusters.delete(key);
    clusters.set(key, { entry, readAt: now });
    for (const oldest of [...clusters.keys()].slice(0, Math.max(0, clusters.size - maxWorkloadClusters))) {
      clusters.delete(oldest);
    }
    try {
      return await entry;
    } catch (thrown) {
      this.#restore(key, entry, known);
      throw thrown;
    }
  }

  /** A failed read changes nothing. */
  #restore(key: string, failed: Promise<Entry>, known: Known | undefined): void {
    if (this.#clusters.get(key)?.entry !== failed) {
      return;
    }
    if (known === undefined) {
      this.#clusters.delete(key);
    } else {
      this.#clusters.set(key, known);
    }
  }

  async #follow(cluster: Name, before: Promise<Entry> | undefined): Promise<Entry> {
    const { clock, reads } = this.#options;
    const { uid, machines, pools } = await read(reads, cluster);
    const old = await before?.catch(() => undefined);
    const entry = old?.uid === uid ? old : this.#open(uid);
    entry.simulated.follow([...nodesOfMachines(machines, clock.now()), ...nodesOfPools(pools)]);
    return entry;
  }

  #open(uid: string): Entry {
    const { clock } = this.#options;
    const now = (): number => clock.now();
    const ids = { uid: () => randomUUID(), nameSuffix: () => randomUUID().slice(0, 5) };
    const core = createWorkloadCore({ now, ids });
    return {
      uid,
      simulated: simulateWorkloadCluster(core, now),
      listener: createListener({
        core,
        clock,
        authenticate: () => ({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }),
        stopping: this.#stopping.signal,
        watchSeconds: () => watchSeconds,
        onUnexpectedError: (error, what) => console.error(`The workload cluster failed at ${what}: ${String(error)}`),
      }),
    };
  }

  /** While a client watches, the objects follow the clock without other requests. */
  async #followWhileOpen(cluster: Name, response: ServerResponse): Promise<void> {
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    const over = AbortSignal.any([closed.signal, this.#stopping.signal]);
    while (!over.aborted) {
      await this.#options.clock.sleep(watchPeriodMs, over);
      // A failed read is repeated by the next round.
      await this.#current(cluster).catch(() => undefined);
    }
  }
}

interface Machines {
  readonly uid: string;
  readonly machines: readonly Unstructured[];
  readonly pools: readonly Unstructured[];
}

async function read(reads: LocalWorkloadOptions['reads'], { namespace = '', name }: Name): Promise<Machines> {
  if (reads === undefined) {
    return { uid: '', machines: [], pools: [] };
  }
  const list = async (apiVersion: string, kind: string): Promise<readonly Unstructured[]> =>
    must(
      await reads.list({ apiVersion, kind, namespace, labels: { [clusterNameLabel]: name } }),
      `Listing ${kind}s of ${name}`,
    );
  const [cluster, machines, pools] = await together([
    find(reads, { apiVersion: coreApiVersion, kind: 'Cluster', namespace, name }),
    list(infrastructure, 'SimulatedMachine'),
    list(infrastructure, 'SimulatedMachinePool'),
  ]);
  return { uid: cluster?.metadata.uid ?? '', machines, pools };
}
