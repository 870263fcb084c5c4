// Managed topologies on an overloaded API server, in virtual time: all functions as deployed, with their timeouts.

// A function loads this module on demand, which takes real time.
import '../../../functions/topology/plan/patches/class-patches.ts';
import type { Answer, Unstructured } from '@capi-serverless/apimachinery';
import { reconcileErrors, reconcilesOutOfTime, reconcileTotal } from '../../../shared/kernel/metrics.ts';
import { deadLetterQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { toConsumers } from '../../../shared/workqueue/queue-specs.ts';
import type { Engine } from '../../simulation/engine/process.ts';
import { createRandom } from '../../simulation/engine/random.ts';
import { Scheduler } from '../../simulation/engine/scheduler.ts';
import { createTrace } from '../../simulation/engine/trace.ts';
import { reconcilersOf } from '../../simulation/system/reconcilers.ts';
import { createSystem, type System } from '../../simulation/system/system.ts';
import { createUser, sleep } from '../../simulation/system/user.ts';
import { aClass, classTemplates, workersOf } from '../../simulation/workloads/topology.ts';
import {
  aSecret,
  clusterRef,
  conditionOf,
  home,
  namespaceNamed,
  toIntent,
} from '../../simulation/workloads/workload.ts';
import { type SlowApi, slowApiFaults } from '../../support/slow-api.ts';

export interface ApiServerLoad {
  readonly clusters: number;
  readonly api: SlowApi;
  /** The virtual time after which the run ends. */
  readonly limitSeconds: number;
}

/** The counts of one reconciler. */
interface Tally {
  reconciles: number;
  outOfTime: number;
  failed: number;
}

export interface LoadResult {
  /** The virtual time until all Clusters were Available at the same time. `undefined` if they never were. */
  readonly seconds: number | undefined;
  readonly available: number;
  readonly tallies: ReadonlyMap<string, Readonly<Tally>>;
  /** Invocations without an answer: their function was killed at its timeout. */
  readonly killed: number;
  readonly deadLetters: number;
  /** Writes that lost a race. */
  readonly conflicts: number;
  /** Reconcile errors by text and number, with the reconciler and without the names of objects. */
  readonly errors: ReadonlyMap<string, number>;
}

const start = Date.parse('2026-01-01T00:00:00Z');
const resyncPeriodMs = 600_000;
/** A run over 20 Clusters takes about 100,000 steps. */
const mostSteps = 2_000_000;

class Counts {
  readonly tallies = new Map<string, Tally>();
  readonly errors = new Map<string, number>();
  killed = 0;
  conflicts = 0;

  readonly metric = (name: string, { controller = '' }: Readonly<Record<string, string>>): void => {
    const tally = this.tallies.get(controller) ?? { reconciles: 0, outOfTime: 0, failed: 0 };
    this.tallies.set(controller, tally);
    tally.reconciles += name === reconcileTotal ? 1 : 0;
    tally.outOfTime += name === reconcilesOutOfTime ? 1 : 0;
    tally.failed += name === reconcileErrors ? 1 : 0;
  };

  readonly error = (controller: unknown, error: unknown): void => {
    const text = `${controller}: ${String(error).replaceAll(/\bc\d+[-\w]*/g, '…')}`;
    this.errors.set(text, (this.errors.get(text) ?? 0) + 1);
  };

  readonly answered = (answer: Answer<unknown>): void => {
    this.conflicts += !answer.ok && answer.failure.reason === 'Conflict' ? 1 : 0;
  };
}

function createEngine(api: SlowApi): Engine {
  return {
    scheduler: new Scheduler(start, mostSteps),
    random: createRandom(`load/${api.seed}`),
    trace: createTrace(start, { keep: false }),
    faults: slowApiFaults(api),
    resyncPeriodMs,
    largestSkewMs: 500,
    calls: 0,
    writes: [],
    forwarderCalls: [],
    atTheEnd: [],
  };
}

function createCountedSystem(engine: Engine, counts: Counts): System {
  return createSystem({
    engine,
    world: undefined,
    forwarders: 1,
    // The default of a deployment. With few invocations, messages of functions with batch size 1 wait for each other.
    maximumConcurrency: 20,
    audit: false,
    reconcilers: reconcilersOf({ managed: true }),
    onServed: () => {},
    onAnswered: (_request, answer) => counts.answered(answer),
    onMetric: counts.metric,
    onInvocation(event) {
      counts.killed += event.type === 'ends' && !event.answered ? 1 : 0;
    },
    onLog({ message, fields }) {
      if (message === 'Reconciler error') {
        counts.error(fields['controller'], fields['error']);
      }
    },
  });
}

/** Creates Clusters of one class at the same time. Ends when all are Available, or at the limit. */
export async function runLoad(load: ApiServerLoad): Promise<LoadResult> {
  const engine = createEngine(load.api);
  const counts = new Counts();
  const system = createCountedSystem(engine, counts);
  const { scheduler } = engine;
  let seconds: number | undefined;
  let isOver = false;
  const play = async (): Promise<void> => {
    await createClusters(engine, system, load.clusters);
    while (seconds === undefined && scheduler.now < start + 1000 * load.limitSeconds) {
      await sleep(engine, 500);
      seconds = availableIn(system) === load.clusters ? Math.round((scheduler.now - start) / 1000) : undefined;
    }
    isOver = true;
  };
  await Promise.all([play(), scheduler.run(() => isOver)]);
  for (const end of engine.atTheEnd) {
    end();
  }
  return { ...counts, seconds, available: availableIn(system), deadLetters: deadLettersIn(system) };
}

async function createClusters(engine: Engine, system: System, count: number): Promise<void> {
  const user = createUser(engine, system);
  await user.create(namespaceNamed(home), ...classTemplates(), aClass('class'));
  const workers = workersOf([{ name: 'a', replicas: 1 }]);
  const topology = { classRef: { name: 'class' }, version: 'v1.35.0', controlPlane: { replicas: 1 }, ...workers };
  for (let index = 1; index <= count; index += 1) {
    const name = `c${index}`;
    const spec = { clusterNetwork: { serviceDomain: 'cluster.local' }, topology };
    await user.create(aSecret(`${name}-kubeconfig`, 'value'), { ...toIntent(clusterRef(name)), spec });
  }
}

function availableIn({ api }: System): number {
  const isAvailable = (object: Unstructured): boolean =>
    object.kind === 'Cluster' && conditionOf(object, 'Available') === 'True';
  return [...api.objects().values()].filter(isAvailable).length;
}

function deadLettersIn({ declarations, queues }: System): number {
  return toConsumers(declarations)
    .map(({ queue }) => queues.memory.messages(deadLetterQueueOf(queue)).length)
    .reduce((sum, each) => sum + each, 0);
}
