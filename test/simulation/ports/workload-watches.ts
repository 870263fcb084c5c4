// The watches of workload clusters by one process, over the network with its faults. They end when the cluster is lost.
import { type ApiFailure, type Kubernetes, refused, valid, type WatchEvent } from '@capi-serverless/apimachinery';
import { createMemoryKubernetes } from '../../../shared/kubernetes/memory/memory-kubernetes.ts';
import type { WatchWorkload } from '../../../shared/workload/watches.ts';
import type { Engine, SimulatedProcess } from '../engine/process.ts';
import type { Random } from '../engine/random.ts';
import { connect, usualLargestPage } from './kubernetes.ts';
import type { SimulatedWorkloads } from './workload-api.ts';

interface WorkloadWatchesOptions {
  readonly engine: Engine;
  readonly process: SimulatedProcess;
  readonly random: Random;
  readonly workloads: SimulatedWorkloads;
}

/** The time after which kubelets act while a watch is open. Otherwise they act before each request. */
const kubeletPeriodMs = 1_000;

/** An abort without a reason creates an Error with a stack each time. */
const watchIsOver = 'the watch is over';

export function watchWorkloads(options: WorkloadWatchesOptions): WatchWorkload {
  const nothing = (): void => {};
  return async ({ cluster }) => {
    const server = serverOf(options, cluster);
    const network = { ...options, server, largestPage: usualLargestPage, onServed: nothing, onAnswered: nothing };
    return valid(connect(network).watches);
  };
}

/** The API server of this Cluster. It does not answer while it is lost. */
function serverOf(options: WorkloadWatchesOptions, uid: string): Kubernetes {
  const { process, workloads } = options;
  const core = workloads.coreOf(uid);
  const client = createMemoryKubernetes(core, { client: process.name, clock: process.clock });
  const { watches } = client;
  return {
    ...client,
    watches: {
      async page(query, paging) {
        workloads.coreOf(uid);
        return workloads.lostAt(core) === undefined ? watches.page(query, paging) : refused(unreachable(uid));
      },
      async *watch(query, { signal, ...watching }): AsyncGenerator<WatchEvent | Failed> {
        if (workloads.lostAt(core) !== undefined) {
          yield { type: 'FAILED', failure: unreachable(uid) };
          return;
        }
        const over = new AbortController();
        const end = (): void => over.abort(watchIsOver);
        signal.addEventListener('abort', end, { once: true });
        const stopWaiting = workloads.onLost(core, end);
        keepKubeletsActive(options, uid, over.signal);
        try {
          yield* watches.watch(query, { ...watching, signal: over.signal });
        } finally {
          stopWaiting();
          signal.removeEventListener('abort', end);
          end();
        }
      },
    },
  };
}

interface Failed {
  readonly type: 'FAILED';
  readonly failure: ApiFailure;
}

function unreachable(uid: string): ApiFailure {
  return { reason: 'Unavailable', message: `The workload cluster of Cluster ${uid} is lost` };
}

function keepKubeletsActive(options: WorkloadWatchesOptions, uid: string, over: AbortSignal): void {
  const { engine, process, workloads } = options;
  engine.scheduler.after(
    kubeletPeriodMs,
    () => {
      if (!over.aborted) {
        workloads.coreOf(uid);
        keepKubeletsActive(options, uid, over);
      }
    },
    process,
  );
}
