// The event path with a stepped clock, for any API server: forwarder, queues with the rules of SQS, event source
// mappings, timers, expansions and reconcilers.

import type { Kubernetes } from '@capi-serverless/apimachinery';
import type { Declaration, Reconciler, WiredPorts } from '@capi-serverless/reconciler';
import { serveExpansions } from '../../functions/resync/expansions.ts';
import { reportQueueDepths } from '../../functions/resync/report-queue-depths.ts';
import { resync } from '../../functions/resync/resync.ts';
import { sendAgain } from '../../functions/resync/send-again.ts';
import { forward } from '../../functions/timer/forward.ts';
import { createForwarder, type ForwarderOptions } from '../../functions/watch-forwarder/forwarder.ts';
import { runWindow } from '../../functions/windowed-forwarder/run-window.ts';
import { listen } from '../../local/counters.ts';
import { startEventSourceMapping } from '../../local/event-source-mapping.ts';
import { type ReconcileFact, type RequestFact, reconciles, requests } from '../../shared/diagnostics/channels.ts';
import { type BatchContext, type Connected, reconcileBatch } from '../../shared/kernel/batch.ts';
import type { IncomingMessage } from '../../shared/kernel/coalesce.ts';
import { type SqsBatchOptions, sqsBatchHandler } from '../../shared/lambda/handlers.ts';
import { createMetricsRegistry, type MetricsRegistry } from '../../shared/telemetry/metrics-registry.ts';
import type { QueueReceiver, QueueSender } from '../../shared/workqueue/port.ts';
import { delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import {
  batchSizeOf,
  type Consumer,
  largestBatch,
  type QueueSpec,
  resyncTimeoutSeconds,
  timerTimeoutSeconds,
  toConsumers,
  toQueueSpecs,
} from '../../shared/workqueue/queue-specs.ts';
import { aRecordingLog } from './kernel.ts';
import { MemoryQueues } from './memory-queues/queues.ts';
import type { SteppedClock } from './stepped-clock.ts';

/** A reconciler with its queue, for any type of observed state. */
interface ServedReconciler {
  readonly declaration: Declaration;
  serve(
    context: Omit<BatchContext<object, object>, 'reconciler' | 'ports'> & Connected,
    messages: readonly IncomingMessage[],
  ): Promise<readonly string[]>;
}

/** `ports` are the ports in its declaration. */
export function served<Ports extends object, Seen extends object>(
  reconciler: Reconciler<Ports, Seen>,
  ports: WiredPorts<NoInfer<Ports>>,
): ServedReconciler {
  return {
    declaration: reconciler.declaration,
    serve: (context, messages) => reconcileBatch({ ...context, reconciler, ports }, messages),
  };
}

export interface EventPathOptions {
  readonly clock: SteppedClock;
  readonly reconcilers: readonly ServedReconciler[];
  /** Returns the client of a function by its name. The name of the forwarder is `forwarder`. */
  readonly kubernetes: (functionName: string) => Kubernetes;
  /** The duration of one call to a queue. */
  readonly sendMs: number;
  /** The maximum number of concurrent invocations of one function. Default: that of the mapping. */
  readonly maximumConcurrency?: number | undefined;
  /** If set, the windowed forwarder with this interval is the only event source. Default: the watch-forwarder. */
  readonly windowSeconds?: number | undefined;
  /** The resync period. Default: one minute. */
  readonly resyncSeconds?: number | undefined;
  /** If true, no source reports changes. */
  readonly isDeaf?: boolean | undefined;
}

export interface EventPath {
  readonly queues: MemoryQueues;
  readonly metrics: MetricsRegistry;
  /** Returns true if any message is in flight, except timers. */
  isBusy(): boolean;
  /** The number of messages in dead-letter queues. */
  deadLetters(): number;
  /** Runs the resync like its schedule. The requests are distributed over its period. */
  resync(): Promise<void>;
  stop(): Promise<void>;
}

/** The common input of all components. */
function toCommon({ clock, sendMs }: EventPathOptions, queues: MemoryQueues) {
  const sender: QueueSender & Pick<QueueReceiver, 'delete'> = {
    delete: (queue, handles) => queues.delete(queue, handles),
    async send(queue, messages) {
      await clock.sleep(sendMs);
      return queues.send(queue, messages);
    },
  };
  let ids = 0;
  return {
    clock,
    log: aRecordingLog(),
    metrics: createMetricsRegistry(),
    watchFilter: '',
    managementCluster: 'mgmt',
    queues: sender,
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
  };
}

interface Consumers {
  readonly declarations: readonly Declaration[];
  readonly queues: MemoryQueues;
  readonly common: ReturnType<typeof toCommon>;
}

function startMappings(options: EventPathOptions, { declarations, queues, common }: Consumers) {
  const mapping = (
    of: Pick<SqsBatchOptions, 'functionName' | 'serve'> & Pick<Consumer, 'queue' | 'batchSize' | 'timeoutSeconds'>,
  ) =>
    startEventSourceMapping({
      queue: of.queue,
      batchSize: of.batchSize,
      queues,
      clock: common.clock,
      log: common.log,
      target: {
        name: of.functionName,
        timeoutSeconds: of.timeoutSeconds,
        handler: sqsBatchHandler({ ...common, queues, functionName: of.functionName, serve: of.serve }),
      },
      ...(options.maximumConcurrency === undefined ? {} : { maximumConcurrency: options.maximumConcurrency }),
    });
  return [
    ...options.reconcilers.map(reconciler =>
      mapping({
        functionName: reconciler.declaration.name,
        queue: workQueueOf(reconciler.declaration.name),
        batchSize: batchSizeOf(reconciler.declaration),
        timeoutSeconds: reconciler.declaration.timeoutSeconds,
        serve: ({ messages }, { signal }) =>
          reconciler.serve(
            {
              ...common,
              signal,
              kubernetes: options.kubernetes(reconciler.declaration.name).within(signal),
              fullResyncPeriodMs: undefined,
            },
            messages,
          ),
      }),
    ),
    mapping({
      functionName: 'timer',
      queue: delayQueue,
      batchSize: largestBatch,
      timeoutSeconds: timerTimeoutSeconds,
      serve: ({ messages }) => forward({ ...common, functionName: 'timer', hasQueue: () => true }, messages),
    }),
    mapping({
      functionName: 'resync',
      queue: expandQueue,
      batchSize: largestBatch,
      timeoutSeconds: resyncTimeoutSeconds,
      serve: ({ messages }, { signal }) =>
        serveExpansions(
          {
            ...common,
            functionName: 'resync',
            connect: async () => ({ ...common, declarations, watches: options.kubernetes('resync').watches, signal }),
          },
          messages,
        ),
    }),
  ];
}

/** Creates all components. Nothing runs until time is stepped. */
export function startEventPath(options: EventPathOptions): EventPath {
  const { clock } = options;
  const declarations = options.reconcilers.map(({ declaration }) => declaration);
  const specs = toQueueSpecs(toConsumers(declarations));
  const queues = new MemoryQueues({ clock, queues: specs });
  const common = toCommon(options, queues);
  const mappings = startMappings(options, { declarations, queues, common });
  const stopping = new AbortController();
  const source = startSource(options, {
    ...common,
    declarations,
    kubernetes: options.kubernetes('forwarder'),
    signal: stopping.signal,
  });
  const isBusy = (): boolean =>
    source.isBusy() ||
    mappings.some(({ running }) => running > 0) ||
    specs.some(({ name }) => name !== delayQueue && !name.includes('-dlq') && queues.messages(name).length > 0);
  return {
    queues,
    metrics: common.metrics,
    isBusy,
    resync: () => runResync(options, { declarations, queues, common, specs, signal: stopping.signal }),
    deadLetters: () =>
      specs
        .filter(({ name }) => name.includes('-dlq'))
        .reduce((sum, { name }) => sum + queues.messages(name).length, 0),
    async stop() {
      stopping.abort();
      let isOver = false;
      const ended = Promise.all([source.ended, ...mappings.map(one => one.stop())]).finally(() => {
        isOver = true;
      });
      await clock.advance(stopMs);
      // An invocation that waited for a response of a real server sleeps again afterwards, while it sends messages.
      while (!isOver) {
        await clock.advance(options.sendMs);
      }
      await ended;
    },
  };
}

interface Resyncing extends Consumers {
  readonly specs: readonly QueueSpec[];
  readonly signal: AbortSignal;
}

async function runResync(
  { kubernetes: connect, resyncSeconds = shortResyncSeconds }: EventPathOptions,
  { declarations, queues, common, specs, signal }: Resyncing,
): Promise<void> {
  const known = Object.fromEntries(specs.map(({ name }) => [name, name]));
  const depths = { ...common, queues, known: Object.keys(known), metrics: createMetricsRegistry() };
  const letters = await reportQueueDepths(depths);
  const kubernetes = connect('resync');
  await resync({
    ...common,
    declarations,
    kubernetes,
    watches: kubernetes.watches,
    layout: 'per-kind',
    stateNamespace: 'kube-system',
    periodSeconds: resyncSeconds,
    fullPeriodSeconds,
    signal,
    deadLetters: {
      letters,
      sendAgain: queue => sendAgain({ ...common, queues, declarations, known, signal }, queue),
    },
  });
}

interface Source {
  isBusy(): boolean;
  readonly ended: Promise<unknown>;
}

type SourceOptions = Omit<ForwarderOptions, 'kubernetes'> & {
  readonly kubernetes: Kubernetes;
  readonly signal: AbortSignal;
};

const shortResyncSeconds = 60;
const fullPeriodSeconds = 86_400;

function startSource({ windowSeconds, isDeaf = false }: EventPathOptions, options: SourceOptions): Source {
  const { kubernetes, signal } = options;
  if (isDeaf) {
    return { isBusy: () => false, ended: Promise.resolve() };
  }
  if (windowSeconds !== undefined) {
    return { isBusy: () => false, ended: runWindows(options, windowSeconds) };
  }
  const forwarder = createForwarder({ ...options, kubernetes: { reads: kubernetes, watches: kubernetes.watches } });
  return { isBusy: () => forwarder.pending > 0, ended: forwarder.run(signal) };
}

async function runWindows(options: SourceOptions, everySeconds: number): Promise<void> {
  while (!options.signal.aborted) {
    await runWindow({ ...options, stateNamespace: 'kube-system' });
    await options.clock.sleep(everySeconds * 1_000, options.signal);
  }
}

/** The maximum duration of a flush and of the longest poll. */
const stopMs = 40_000;

interface Tally {
  /** The reconciles in the order of their end. */
  readonly reconciles: readonly ReconcileFact[];
  readonly requests: readonly RequestFact[];
  stop(): void;
}

/** Counts the facts of this process from now on. Only one system may run at a time. */
export function startTally(): Tally {
  const tally = { reconciles: [] as ReconcileFact[], requests: [] as RequestFact[] };
  const stops = [
    listen<ReconcileFact>(reconciles, fact => tally.reconciles.push(fact)),
    listen<RequestFact>(requests, fact => tally.requests.push(fact)),
  ];
  return {
    ...tally,
    stop() {
      for (const stop of stops) {
        stop();
      }
    },
  };
}
