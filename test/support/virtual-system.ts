// The whole event path in virtual time: forwarder, queues with their true rules, event source mappings, timers, look-ups and
// reconcilers on the memory API. Requests and sends take time, and the API server serves only so many at once.

import { serveExpansions } from '../../functions/resync/expansions.ts';
import { resync } from '../../functions/resync/resync.ts';
import { forward } from '../../functions/timer/forward.ts';
import { createForwarder, type ForwarderOptions } from '../../functions/watch-forwarder/forwarder.ts';
import { runWindow } from '../../functions/windowed-forwarder/run-window.ts';
import { listen } from '../../infra/local/counters.ts';
import { startEventSourceMapping } from '../../infra/local/event-source-mapping.ts';
import { type BatchContext, reconcileBatch } from '../../shared/kernel/batch.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import type { IncomingMessage } from '../../shared/kernel/coalesce.ts';
import type { Declaration, Reconciler } from '../../shared/kernel/types.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import { type SqsBatchOptions, sqsBatchHandler } from '../../shared/lambda/handlers.ts';
import { type ReconcileFact, type RequestFact, reconciles, requests } from '../../shared/telemetry/channels.ts';
import { createMetricsRegistry, type MetricsRegistry } from '../../shared/telemetry/metrics.ts';
import { MemoryQueues } from '../../shared/workqueue/memory/queues.ts';
import type { QueueSender } from '../../shared/workqueue/port.ts';
import { delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import {
  resyncTimeoutSeconds,
  timerTimeoutSeconds,
  toConsumers,
  toQueueSpecs,
} from '../../shared/workqueue/queue-specs.ts';
import { aRecordingLog } from './kernel.ts';
import { createMemoryApi, type MemoryApi, type MemoryApiOptions } from './memory-api.ts';

/** A reconciler behind its queue, whatever it sees. */
export interface ServedReconciler {
  readonly declaration: Declaration;
  serve(
    context: Omit<BatchContext<object, object>, 'reconciler' | 'ports'>,
    messages: readonly IncomingMessage[],
  ): Promise<readonly string[]>;
}

/** `ports`: what the reconciler needs beyond reads. */
export function served<Ports extends object, Seen extends object>(
  reconciler: Reconciler<Ports, Seen>,
  ports: Ports,
): ServedReconciler {
  return {
    declaration: reconciler.declaration,
    serve: (context, messages) => reconcileBatch({ ...context, reconciler, ports }, messages),
  };
}

export interface VirtualSystemOptions extends MemoryApiOptions {
  readonly reconcilers: readonly ServedReconciler[];
  /** What one request takes on the API server, which serves `requestSlots` at once. */
  readonly requestMs: number;
  readonly requestSlots: number;
  /** What one call to a queue takes. */
  readonly sendMs: number;
  /** Invocations of one function at a time. Default: that of the mapping. */
  readonly maximumConcurrency?: number;
  /** The windowed forwarder, every so often, is the only event source. Default: the resident forwarder is. */
  readonly windowSeconds?: number;
  /** Nothing tells of any change. */
  readonly isDeaf?: boolean;
}

export interface VirtualSystem {
  readonly api: MemoryApi;
  readonly queues: MemoryQueues;
  /** How many messages lie in dead-letter queues. */
  deadLetters(): number;
  readonly metrics: MetricsRegistry;
  /** What the schedule does; the requests are spread over a minute. */
  resync(): Promise<void>;
  /** Steps time until no message is on its way, timers excepted; throws when that takes longer than `limitMs`. */
  drain(limitMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts everything; nothing moves until time is stepped. */
export function startVirtualSystem(options: VirtualSystemOptions): VirtualSystem {
  const api = createMemoryApi(options);
  const { clock } = api;
  const declarations = options.reconcilers.map(({ declaration }) => declaration);
  const specs = toQueueSpecs(toConsumers(declarations));
  const queues = new MemoryQueues({ clock, queues: specs });
  const sender: QueueSender = {
    async send(queue, messages) {
      await clock.sleep(options.sendMs);
      return queues.send(queue, messages);
    },
  };
  const kubernetes = slowed(api.others, { clock, slots: options.requestSlots, ms: options.requestMs });
  let ids = 0;
  const common = {
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
  const mapping = (of: Pick<SqsBatchOptions, 'functionName' | 'serve'> & { queue: string; timeoutSeconds: number }) =>
    startEventSourceMapping({
      queue: of.queue,
      queues,
      clock,
      log: common.log,
      target: {
        name: of.functionName,
        timeoutSeconds: of.timeoutSeconds,
        handler: sqsBatchHandler({ ...common, queues, functionName: of.functionName, serve: of.serve }),
      },
      ...(options.maximumConcurrency === undefined ? {} : { maximumConcurrency: options.maximumConcurrency }),
    });
  const mappings = [
    ...options.reconcilers.map(reconciler =>
      mapping({
        functionName: reconciler.declaration.name,
        queue: workQueueOf(reconciler.declaration.name),
        timeoutSeconds: reconciler.declaration.timeoutSeconds,
        serve: ({ messages }, { signal }) =>
          reconciler.serve(
            { ...common, signal, kubernetes: kubernetes.within(signal), resyncPeriodMs: undefined },
            messages,
          ),
      }),
    ),
    mapping({
      functionName: 'timer',
      queue: delayQueue,
      timeoutSeconds: timerTimeoutSeconds,
      serve: ({ messages }) => forward({ ...common, functionName: 'timer', hasQueue: () => true }, messages),
    }),
    mapping({
      functionName: 'resync',
      queue: expandQueue,
      timeoutSeconds: resyncTimeoutSeconds,
      serve: ({ messages }, { signal }) =>
        serveExpansions(
          { ...common, functionName: 'resync', declarations, watches: kubernetes.watches, signal },
          messages,
        ),
    }),
  ];
  const stopping = new AbortController();
  const source = startSource(options, { ...common, declarations, kubernetes, signal: stopping.signal });
  const isBusy = (): boolean =>
    source.isBusy() ||
    mappings.some(({ running }) => running > 0) ||
    specs.some(({ name }) => name !== delayQueue && !name.includes('-dlq') && queues.messages(name).length > 0);
  return {
    api,
    queues,
    metrics: common.metrics,
    resync: () =>
      resync({ ...common, declarations, watches: kubernetes.watches, signal: stopping.signal }, resyncSpreadSeconds),
    deadLetters: () =>
      specs
        .filter(({ name }) => name.includes('-dlq'))
        .reduce((sum, { name }) => sum + queues.messages(name).length, 0),
    async drain(limitMs) {
      const deadline = clock.now() + limitMs;
      do {
        await clock.advance(stepMs);
        if (clock.now() > deadline) {
          throw new Error(`The queues were not empty after ${limitMs} ms of virtual time`);
        }
      } while (isBusy());
    },
    async stop() {
      stopping.abort();
      const ended = Promise.all([source.ended, ...mappings.map(one => one.stop())]);
      await clock.advance(stopMs);
      await ended;
    },
  };
}

interface Source {
  isBusy(): boolean;
  readonly ended: Promise<unknown>;
}

type SourceOptions = Omit<ForwarderOptions, 'kubernetes'> & {
  readonly kubernetes: Kubernetes;
  readonly signal: AbortSignal;
};

const resyncSpreadSeconds = 60;

function startSource({ windowSeconds, isDeaf = false }: VirtualSystemOptions, options: SourceOptions): Source {
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
    await runWindow({ ...options, queueDesign: 'default', stateNamespace: 'kube-system' });
    await options.clock.sleep(everySeconds * 1_000, options.signal);
  }
}

const stepMs = 100;
/** What a flush and the longest poll may take. */
const stopMs = 40_000;

export interface Tally {
  /** In the order of their ends. */
  readonly reconciles: readonly ReconcileFact[];
  readonly requests: readonly RequestFact[];
  stop(): void;
}

/** Counts what this process does from now on: one system at a time. */
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

/** The same client behind a server that serves `slots` requests at once, each in `ms`. */
function slowed(
  client: Kubernetes,
  server: { readonly clock: Clock; readonly slots: number; readonly ms: number },
): Kubernetes {
  const freeAt = Array.from({ length: server.slots }, () => 0);
  const turn = async (): Promise<void> => {
    const now = server.clock.now();
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const end = Math.max(now, freeAt[slot] ?? 0) + server.ms;
    freeAt[slot] = end;
    await server.clock.sleep(end - now);
  };
  const wrap = (inner: Kubernetes): Kubernetes =>
    new Proxy(inner, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        if (name === 'within') {
          return (signal: AbortSignal) => wrap(target.within(signal));
        }
        if (typeof member !== 'function') {
          return member;
        }
        return async (...args: readonly unknown[]) => {
          await turn();
          return Reflect.apply(member, target, args);
        };
      },
    });
  return wrap(client);
}
