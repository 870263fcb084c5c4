// A day of a deployment in virtual time, or a part of it, with the counts that AWS bills: calls of SQS by type of queue, and invocations.

import type { Clock, Kind } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { deployed, type Profile } from '../../cli/cost/items.ts';
import { reportQueueDepths } from '../../functions/resync/report-queue-depths.ts';
import { resync } from '../../functions/resync/resync.ts';
import { forward } from '../../functions/timer/forward.ts';
import { heartbeatMs } from '../../functions/watch-forwarder/heartbeat.ts';
import { startEventSourceMapping } from '../../local/event-source-mapping.ts';
import { toWatchSet } from '../../shared/event-source/watch-set.ts';
import { type SqsBatchOptions, sqsBatchHandler } from '../../shared/lambda/handlers.ts';
import type { Request } from '../../shared/workqueue/message.ts';
import { toWorkMessage } from '../../shared/workqueue/outgoing.ts';
import type { QueueName, Queues } from '../../shared/workqueue/port.ts';
import {
  delayQueue,
  expandQueue,
  isDeadLetterQueue,
  isFifo,
  sharedWorkQueue,
  workQueueOf,
} from '../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { MemoryQueues } from '../support/memory-queues/queues.ts';
import { clusterKind, ResyncWorld } from '../unit/functions/resync/resync-with-queues.ts';

export interface DayCounts {
  /** Calls of SQS. */
  fifo: number;
  standard: number;
  reconciles: number;
  timers: number;
  resyncs: number;
  windows: number;
}

interface DayOptions extends Profile {
  readonly clusters: number;
  readonly changesPerDay: number;
  readonly pollersOf: (queue: QueueName) => number;
  /** The simulated part of the day, a multiple of the resync period. The counts are scaled to a day. */
  readonly hours: number;
}

const infraKind: Kind = { ...clusterKind, group: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster' };
const controlPlaneKind: Kind = {
  ...clusterKind,
  group: 'controlplane.cluster.x-k8s.io',
  kind: 'SimulatedControlPlane',
};
const namespace = 'ns';
const minutesPerDay = 1440;
const hoursPerDay = 24;
const batchSize = 10;
const pollSeconds = 20;

export async function simulateDay(declarations: readonly Declaration[], options: DayOptions): Promise<DayCounts> {
  const { resyncMinutes, fullResyncMinutes, layout, windowed } = options;
  const counts: DayCounts = { ...nothing };
  const world = aWorldOf(options.clusters, declarations);
  const { clock } = world.server;
  const specs = toQueueSpecs(toConsumers(declarations, layout));
  const names = specs.map(({ name }) => name);
  const queues = counting(new MemoryQueues({ clock, queues: specs }), names, counts);
  const common = { ...world.options(), clock, queues };
  const periods = { periodSeconds: resyncMinutes * 60, fullPeriodSeconds: fullResyncMinutes * 60 };
  // The first run enqueues every object, once in the life of a deployment. Its messages are not sent.
  await world.run(periods);
  const mappings = startMappings(common, names, counts);
  const runs = (options.hours * 60) / resyncMinutes;
  // The run before the day sends messages that arrive during the day, as the last run does for the next day.
  for (let run = -1; run < runs; run += 1) {
    if (run === 0) {
      Object.assign(counts, nothing);
    }
    await changeObjects({ world, queues, declarations, options }, run, runs);
    await clock.advance(periods.periodSeconds * 1000);
    counts.resyncs += 1;
    await reportQueueDepths({ ...common, known: names });
    await resync({ ...common, ...periods });
  }
  const counted = scaled(counts, hoursPerDay / options.hours);
  const stopped = Promise.all(mappings.map(mapping => mapping.stop()));
  await clock.advance(pollSeconds * 1000);
  await stopped;
  const polls = 86_400 / pollSeconds;
  for (const name of names.filter(isServed)) {
    counted[isFifo(name) ? 'fifo' : 'standard'] += polls * (options.pollersOf(name) - 1);
  }
  counted.windows = windowed ? minutesPerDay / deployed.windowedPeriodMinutes : 0;
  counted.standard += windowed ? 0 : (deployed.forwarder.replicas * 86_400_000) / heartbeatMs;
  return counted;
}

function scaled({ fifo, standard, reconciles, timers, resyncs, windows }: DayCounts, by: number): DayCounts {
  return {
    fifo: fifo * by,
    standard: standard * by,
    reconciles: reconciles * by,
    timers: timers * by,
    resyncs: resyncs * by,
    windows,
  };
}

const nothing: DayCounts = { fifo: 0, standard: 0, reconciles: 0, timers: 0, resyncs: 0, windows: 0 };

const isServed = (name: QueueName): boolean => !isDeadLetterQueue(name);

type Common = ReturnType<ResyncWorld['options']> & { readonly clock: Clock; readonly queues: Queues };

function startMappings(common: Common, names: readonly QueueName[], counts: DayCounts) {
  const mapping = (queue: QueueName, serve: SqsBatchOptions['serve']) =>
    startEventSourceMapping({
      queue,
      // Lambda's pollers can receive messages of one send individually. This is the most that it can cost.
      batchSize: isFifo(queue) ? 1 : batchSize,
      queues: common.queues,
      clock: common.clock,
      log: common.log,
      waitSeconds: pollSeconds,
      target: {
        name: queue,
        timeoutSeconds: 60,
        handler: sqsBatchHandler({ ...common, functionName: queue, serve }),
      },
    });
  return [
    ...names
      .filter(name => isFifo(name) && isServed(name))
      .map(queue =>
        mapping(queue, async ({ messages }) => {
          counts.reconciles += messages.length;
          return [];
        }),
      ),
    mapping(delayQueue, ({ messages }) => {
      counts.timers += 1;
      return forward({ ...common, functionName: 'timer', hasQueue: () => true }, messages);
    }),
    mapping(expandQueue, async () => []),
  ];
}

/** Counts the calls that the SQS adapter makes for each use of the queues. */
function counting(inner: MemoryQueues, names: readonly QueueName[], counts: DayCounts): Queues {
  const actual = (queue: QueueName): QueueName => (names.includes(queue) ? queue : sharedWorkQueue);
  const count = (queue: QueueName, calls: number): void => {
    counts[isFifo(queue) ? 'fifo' : 'standard'] += calls;
  };
  return {
    send(queue, messages) {
      count(queue, Math.ceil(messages.length / batchSize));
      return inner.send(actual(queue), messages);
    },
    receive(queue, receive) {
      count(queue, 1);
      return inner.receive(queue, receive);
    },
    delete(queue, handles) {
      count(queue, Math.ceil(handles.length / batchSize));
      return inner.delete(queue, handles);
    },
    changeVisibility(queue, handles, seconds) {
      count(queue, Math.ceil(handles.length / batchSize));
      return inner.changeVisibility(queue, handles, seconds);
    },
    depth(queue) {
      count(queue, 1);
      return inner.depth(queue);
    },
  };
}

interface Changing {
  readonly world: ResyncWorld;
  readonly queues: Queues;
  readonly declarations: readonly Declaration[];
  readonly options: DayOptions;
}

/** Changes Clusters. An event source enqueues each change, and the write of its reconcile. */
async function changeObjects({ world, queues, options, ...of }: Changing, run: number, runs: number): Promise<void> {
  const upTo = (count: number): number =>
    Math.floor((count * options.changesPerDay * options.hours) / hoursPerDay / runs);
  for (let change = upTo(run); run >= 0 && change < upTo(run + 1); change += 1) {
    const name = `c${change % options.clusters}`;
    for (const version of [2 * change, 2 * change + 1]) {
      touch(world, name, version);
      for (const declaration of of.declarations.filter(({ primary }) => primary.kind === clusterKind.kind)) {
        const request: Request = {
          v: 1,
          reconciler: declaration.name,
          key: { managementCluster: 'mgmt', group: clusterKind.group, kind: clusterKind.kind, namespace, name },
          cause: 'event',
          attempt: 0,
          sources: [`${name}@${version}`],
          trace: 't',
        };
        await queues.send(workQueueOf(declaration.name), [toWorkMessage(request, () => String(version))]);
      }
    }
  }
}

const refTo = ({ group, kind }: Kind, name: string) => ({ apiGroup: group, kind, name });

function touch(world: ResyncWorld, name: string, version: number): void {
  world.api.put(
    clusterKind,
    { namespace, name, annotations: { version: String(version) } },
    {
      spec: {
        infrastructureRef: refTo(infraKind, name),
        controlPlaneRef: refTo(controlPlaneKind, name),
        topology: { classRef: { name: 'usual' } },
      },
    },
  );
}

/** Clusters with infrastructure, a control plane and one MachineDeployment with one MachineSet and one Machine each. */
function aWorldOf(clusters: number, declarations: readonly Declaration[]): ResyncWorld {
  const declared = toWatchSet(declarations).declared.map(({ kind }) => kind);
  const world = new ResyncWorld(declarations, [...declared, infraKind, controlPlaneKind]);
  const served = new Set(declared.map(({ kind }) => kind));
  for (let index = 0; index < clusters; index += 1) {
    const name = `c${index}`;
    touch(world, name, -1);
    const metadata = {
      namespace,
      name,
      labels: { 'cluster.x-k8s.io/cluster-name': name, 'topology.cluster.x-k8s.io/owned': '' },
      ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: `uid-${name}` }],
    };
    for (const kind of [infraKind, controlPlaneKind]) {
      world.api.put(kind, metadata);
    }
    for (const kind of ['Machine', 'MachineDeployment', 'MachineSet'].filter(each => served.has(each))) {
      world.api.put({ ...clusterKind, kind }, metadata);
    }
  }
  return world;
}
