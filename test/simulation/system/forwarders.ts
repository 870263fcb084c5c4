// The replicas of the forwarder. Each runs until it is killed, and restarts after some time.

import type { Declaration } from '@capi-serverless/reconciler';
import {
  createForwarder,
  type Forwarder,
  type ForwarderOptions,
} from '../../../functions/watch-forwarder/forwarder.ts';
import { type Engine, forwarderPrefix, type SimulatedProcess } from '../engine/process.ts';
import type { SimulatedWorkloads } from '../ports/workload-api.ts';
import { watchWorkloads } from '../ports/workload-watches.ts';
import type { HandlerDependencies } from './functions.ts';

interface ForwardersOptions {
  readonly engine: Engine;
  readonly replicas: number;
  readonly declarations: readonly Declaration[];
  readonly managementCluster: string;
  /** The workload clusters whose Nodes are watched. Default: none. */
  readonly watched?: SimulatedWorkloads | undefined;
  startProcess(name: string): { readonly process: SimulatedProcess; readonly around: HandlerDependencies };
}

interface Replica {
  readonly name: string;
  starts: number;
  running:
    | { readonly process: SimulatedProcess; readonly forwarder: Forwarder; readonly stop: AbortController }
    | undefined;
}

/** The longest time until a killed replica restarts. */
const longestAbsenceMs = 20_000;

export class Forwarders {
  readonly #options: ForwardersOptions;
  readonly #replicas: readonly Replica[];

  constructor(options: ForwardersOptions) {
    this.#options = options;
    this.#replicas = Array.from({ length: options.replicas }, (_, index) => ({
      name: `${forwarderPrefix}${index + 1}`,
      starts: 0,
      running: undefined,
    }));
    for (const replica of this.#replicas) {
      this.#start(replica);
    }
  }

  /** Returns true if all replicas run and have no unsent message. */
  get isIdle(): boolean {
    return this.#replicas.every(({ running }) => running !== undefined && running.forwarder.pending === 0);
  }

  /** Kills one replica. Does nothing if the replica is not running. */
  kill(index: number): void {
    this.#replicas[index]?.running?.process.end();
  }

  /** Stops all replicas, as a rollout does, and starts their replacements immediately. */
  replace(): void {
    for (const replica of this.#replicas) {
      const { running } = replica;
      running?.stop.abort();
      this.#start(replica);
    }
  }

  #start(replica: Replica): void {
    const { engine, startProcess, declarations, managementCluster } = this.#options;
    replica.starts += 1;
    const { process, around } = startProcess(`${replica.name}.${replica.starts}`);
    const { kubernetes } = around;
    const forwarder = createForwarder({
      ...around,
      declarations,
      managementCluster,
      watchFilter: '',
      kubernetes: { reads: kubernetes, watches: kubernetes.watches },
      ...this.#toNodeAccess(process, around),
    });
    const stop = new AbortController();
    engine.atTheEnd.push(() => stop.abort());
    const running = { process, forwarder, stop };
    replica.running = running;
    process.onEnd(() => {
      if (replica.running === running) {
        replica.running = undefined;
        engine.scheduler.after(engine.random.between(100, longestAbsenceMs), () => {
          // A rollout may have started a replacement in between.
          if (replica.running === undefined) {
            this.#start(replica);
          }
        });
      }
    });
    void forwarder.run(stop.signal);
  }

  #toNodeAccess(process: SimulatedProcess, { kubernetes }: HandlerDependencies): Pick<ForwarderOptions, 'nodes'> {
    const { engine, watched: workloads } = this.#options;
    if (workloads === undefined) {
      return {};
    }
    const random = engine.random.fork(`${process.name} watches Nodes`);
    return { nodes: { reads: kubernetes, connect: watchWorkloads({ engine, process, random, workloads }) } };
  }
}
