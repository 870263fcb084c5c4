// Creates Clusters whose infrastructure is already provisioned, and measures until the subject is idle.
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildProgram } from '../../test/support/child-program.ts';
import type { RealControlPlane } from '../../test/support/real-control-plane.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  clusterRef,
} from '../../test/support/static-provider.ts';
import type { WorldClient } from '../../test/support/world-client.ts';
import { cpuMsOf } from '../process-usage.ts';
import { type ClusterWatch, watchClusters } from './cluster-watch.ts';
import { type RequestCounts, RequestLog } from './request-log.ts';
import type { BenchSubject } from './subject.ts';

interface World {
  readonly client: WorldClient;
  readonly controlPlane: RealControlPlane;
  readonly subject: BenchSubject;
  readonly running: ChildProgram;
}

/** CPU time in milliseconds. Null if unknown. */
export interface Cpu {
  readonly apiserver: number | null;
  readonly etcd: number | null;
  readonly subject: number | null;
}

export interface Measurement {
  readonly clusters: number;
  /** The time per Cluster, from the request that creates it to the event that shows it Provisioned. */
  readonly provisionedMs: readonly number[];
  /** The time from the first request to the last Provisioned. */
  readonly allMs: number;
  /** The time from the first request until the subject sends no more requests. */
  readonly requests: RequestCounts;
  readonly cpu: Cpu;
}

const namespace = 'default';
const preparedAtOnce = 20;
const longestMs = 300_000;

/** At the start and the end of each measurement, there are no Clusters and the subject is idle. */
export class BenchWorkload {
  readonly #world: World;
  readonly #watch: ClusterWatch;
  readonly #log: RequestLog;

  constructor(world: World, watch: ClusterWatch) {
    this.#world = world;
    this.#watch = watch;
    this.#log = new RequestLog(world.controlPlane.auditLogPath, world.subject.user);
  }

  static async open(world: World): Promise<BenchWorkload> {
    return new BenchWorkload(world, await watchClusters(world.client, namespace));
  }

  async close(): Promise<void> {
    this.#log.close();
    await this.#watch.stop();
  }

  /** Creates `count` Clusters at the same time. Their names begin with `prefix`, which must be unique. */
  async measure(prefix: string, count: number): Promise<Measurement> {
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    await inGroups(names, preparedAtOnce, name =>
      this.#world.client.create(aProvisionedStaticCluster(namespace, name)),
    );
    await this.#log.readUntilQuiet();
    const cpuBefore = this.#cpu();
    const startedAt = performance.now();
    const spans = await this.#timely(
      `${count} Clusters Provisioned`,
      names.map(name => this.#createOne(name)),
    );
    const requests = await this.#log.readUntilQuiet();
    const cpu = toUsed(cpuBefore, this.#cpu());
    await this.#remove(names);
    return {
      clusters: count,
      provisionedMs: spans.map(({ from, to }) => to - from),
      allMs: Math.max(...spans.map(({ to }) => to)) - startedAt,
      requests,
      cpu,
    };
  }

  async #createOne(name: string): Promise<{ readonly from: number; readonly to: number }> {
    const seen = this.#watch.seen(name, 'Provisioned');
    const from = performance.now();
    await this.#world.client.create(aStaticallyProvidedCluster(namespace, name));
    return { from, to: await seen };
  }

  /** The deletion of a Cluster deletes its infrastructure. */
  async #remove(names: readonly string[]): Promise<void> {
    const gone = names.map(name => this.#watch.seen(name, 'gone'));
    await inGroups(names, preparedAtOnce, name => this.#world.client.remove(clusterRef(namespace, name)));
    await this.#timely(`${names.length} Clusters gone`, gone);
    await this.#log.readUntilQuiet();
  }

  #cpu(): Cpu {
    const { pids } = this.#world.controlPlane;
    return {
      apiserver: cpuMsOf(pids['kube-apiserver'] ?? 0),
      etcd: cpuMsOf(pids['etcd'] ?? 0),
      subject: cpuMsOf(this.#world.running.pid),
    };
  }

  /** Rejects with the subject's last line if the events take too long. */
  async #timely<T>(what: string, awaited: readonly Promise<T>[]): Promise<readonly T[]> {
    const done = new AbortController();
    let arrived = 0;
    const count = awaited.map(async promise => {
      const value = await promise;
      arrived += 1;
      return value;
    });
    const late = delay(longestMs, undefined, { signal: done.signal }).then(() => {
      const { subject, running } = this.#world;
      const lastLine = running.lastLine();
      throw new Error(`${subject.title}: ${what} wanted, ${arrived} after ${longestMs / 1000} s; it said: ${lastLine}`);
    });
    late.catch(() => undefined); // aborted when the result is known
    try {
      return await Promise.race([Promise.all(count), late]);
    } finally {
      done.abort();
    }
  }
}

function toUsed(before: Cpu, after: Cpu): Cpu {
  const used = (of: keyof Cpu): number | null => {
    const [from, to] = [before[of], after[of]];
    return from === null || to === null ? null : to - from;
  };
  return { apiserver: used('apiserver'), etcd: used('etcd'), subject: used('subject') };
}

async function inGroups(
  names: readonly string[],
  size: number,
  work: (name: string) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < names.length; from += size) {
    await Promise.all(names.slice(from, from + size).map(work));
  }
}
