// The functions as deployed: the same handlers and middleware on simulated ports.

import type { Clock, Kubernetes } from '@capi-serverless/apimachinery';
import {
  type Declaration,
  type Log,
  makePorts,
  type PortFactories,
  type Reconciler,
} from '@capi-serverless/reconciler';
import type { WorkloadWriters } from '@capi-serverless/reconciler/runner';
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { serveExpansions } from '../../../functions/resync/expansions.ts';
import { resync } from '../../../functions/resync/resync.ts';
import { forward } from '../../../functions/timer/forward.ts';
import { resyncFunction, sharedFunction, timerFunction } from '../../../infra/function-plans.ts';
import { type Connected, connectAndReconcile } from '../../../shared/kernel/batch.ts';
import type { Metrics } from '../../../shared/kernel/metrics.ts';
import { type LambdaHandler, scheduledHandler, sqsBatchHandler } from '../../../shared/lambda/handlers.ts';
import type { Invocation } from '../../../shared/lambda/invocation.ts';
import { clusterLimitMs, readManagementCluster } from '../../../shared/lambda/runtime.ts';
import { sharedQueueHandler } from '../../../shared/lambda/shared-queue-handler.ts';
import { withTimeLimit } from '../../../shared/lambda/time-limit.ts';
import type { NewId } from '../../../shared/workqueue/ids.ts';
import type { QueueName, QueueReceiver, QueueSender, QueueVisibility } from '../../../shared/workqueue/port.ts';
import { delayQueue, expandQueue, sharedWorkQueue, workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import {
  batchSizeOf,
  largestBatch,
  resyncTimeoutSeconds,
  sharedBatch,
  timerTimeoutSeconds,
  type WorkQueueLayout,
} from '../../../shared/workqueue/queue-specs.ts';
import type { FakeExtensions } from '../../support/fake-hooks.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import type { SimulatedWorkloads } from '../ports/workload-api.ts';

/** The dependencies of a process's handler. */
export interface HandlerDependencies {
  readonly process: SimulatedProcess;
  readonly kubernetes: Kubernetes;
  readonly queues: QueueSender & Pick<QueueReceiver, 'delete'> & QueueVisibility;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The extension servers of this run. Processes access them over the network. */
  readonly extensions: FakeExtensions;
  /** The clients of this process for the workload clusters of this run. */
  readonly workload: ReturnType<SimulatedWorkloads['connect']>;
}

export interface SimulatedFunction {
  readonly name: string;
  readonly queue: QueueName;
  readonly batchSize: number;
  readonly timeoutSeconds: number;
  /** Creates the handler of a new process. */
  load(dependencies: HandlerDependencies): LambdaHandler<unknown>;
}

/** A reconciler of any kind, with its dependencies bound. */
export interface SimulatedReconciler {
  readonly declaration: Declaration;
  load(dependencies: HandlerDependencies, settings: Settings): LambdaHandler<SQSBatchResponse>;
}

interface Settings {
  readonly managementCluster: string;
  /** If `undefined`, no resync runs. */
  readonly resyncPeriodMs: number | undefined;
  /**
   * If true, each process reads the management cluster before its first reconcile, like functions without this setting.
   */
  readonly readsManagementCluster: boolean;
  /** Default: `per-kind`. */
  readonly layout?: WorkQueueLayout | undefined;
}

/**
 * `factories` creates the ports that the declaration names, and `writersOf` the clients for actions that are aimed at
 * workload clusters. They are created once per process. Default: the clients of the process.
 */
export function simulate<Ports, Seen extends object>(
  reconciler: Reconciler<Ports, Seen>,
  factories: PortFactories<NoInfer<Ports>, HandlerDependencies>,
  writersOf?: (of: HandlerDependencies) => WorkloadWriters,
): SimulatedReconciler {
  const functionName = reconciler.declaration.name;
  return {
    declaration: reconciler.declaration,
    load(around, settings) {
      const own = reconciler.forNewProcess?.() ?? reconciler;
      const ports = makePorts<Ports, HandlerDependencies>(factories, around);
      const workload = writersOf?.(around) ?? around.workload.writers;
      const connect = toConnect(around, settings);
      return sqsBatchHandler({
        ...around,
        functionName,
        serve: ({ messages }, { signal, deadline, log }) => {
          const fullResyncPeriodMs = settings.resyncPeriodMs === undefined ? undefined : fullPeriodSeconds * 1000;
          const common = { ...around, ...settings, workload, signal, deadline, log, watchFilter: '' };
          const context = { ...common, reconciler: own, ports, fullResyncPeriodMs };
          return connectAndReconcile(context, () => connect(signal), messages);
        },
      });
    },
  };
}

/** Connects like the runtime of a function. */
function toConnect(
  { kubernetes, clock }: HandlerDependencies,
  { managementCluster, readsManagementCluster }: Settings,
): (signal: AbortSignal) => Promise<Connected> {
  let isKnown = !readsManagementCluster;
  return async signal => {
    if (!isKnown) {
      await withTimeLimit({ clock, ms: clusterLimitMs, doing: 'Reading namespace kube-system' }, limit =>
        readManagementCluster(kubernetes.within(limit)),
      );
      isKnown = true;
    }
    return { kubernetes: kubernetes.within(signal), managementCluster };
  };
}

/** The functions of the reconcilers, the timer and the resync. */
export function toFunctions(
  reconcilers: readonly SimulatedReconciler[],
  settings: Settings,
): readonly SimulatedFunction[] {
  const declarations = reconcilers.map(({ declaration }) => declaration);
  const queues = new Set<QueueName>(declarations.map(({ name }) => workQueueOf(name)));
  return [
    ...(settings.layout === 'compact'
      ? [toSharedFunction(reconcilers, settings)]
      : toOwnFunctions(reconcilers, settings)),
    {
      name: timerFunction,
      queue: delayQueue,
      batchSize: largestBatch,
      timeoutSeconds: timerTimeoutSeconds,
      load: around =>
        sqsBatchHandler({
          ...around,
          functionName: timerFunction,
          serve: ({ messages }, { log }) =>
            forward({ ...around, log, functionName: timerFunction, hasQueue: queue => queues.has(queue) }, messages),
        }),
    },
    {
      name: resyncFunction,
      queue: expandQueue,
      batchSize: largestBatch,
      timeoutSeconds: resyncTimeoutSeconds,
      load: around => loadResync(around, declarations, settings),
    },
  ];
}

function toOwnFunctions(reconcilers: readonly SimulatedReconciler[], settings: Settings): readonly SimulatedFunction[] {
  return reconcilers.map(({ declaration, load }) => ({
    name: declaration.name,
    queue: workQueueOf(declaration.name),
    batchSize: batchSizeOf(declaration),
    timeoutSeconds: declaration.timeoutSeconds,
    load: around => load(around, settings),
  }));
}

/** A process loads the handler of a reconciler with its first message. */
function toSharedFunction(reconcilers: readonly SimulatedReconciler[], settings: Settings): SimulatedFunction {
  return {
    name: sharedFunction.name,
    queue: sharedWorkQueue,
    batchSize: sharedBatch,
    timeoutSeconds: Math.max(...reconcilers.map(({ declaration }) => declaration.timeoutSeconds)),
    load(around) {
      const handlers = reconcilers.map(({ declaration: { name }, load }) => {
        let handler: LambdaHandler<SQSBatchResponse> | undefined;
        const loadOnce = async () => {
          handler ??= load(around, settings);
          return { handler };
        };
        return [name, loadOnce] as const;
      });
      return sharedQueueHandler({
        ...around,
        functionName: sharedFunction.name,
        handlers: Object.fromEntries(handlers),
      });
    },
  };
}

/** Longer than every run, so that only comparisons find lost events. */
const fullPeriodSeconds = 30 * 86_400;

/** Handles batches of the expand queue. Any other event is a schedule. */
function loadResync(
  around: HandlerDependencies,
  declarations: readonly Declaration[],
  settings: Settings,
): LambdaHandler<unknown> {
  const { managementCluster, resyncPeriodMs = 600_000, layout = 'per-kind' } = settings;
  const connect = toConnect(around, settings);
  const toOptions = ({ signal, log }: Invocation) => ({
    ...around,
    declarations,
    watches: around.kubernetes.watches,
    kubernetes: around.kubernetes.within(signal),
    managementCluster,
    watchFilter: '',
    layout,
    stateNamespace: 'kube-system',
    periodSeconds: resyncPeriodMs / 1000,
    fullPeriodSeconds,
    log,
    signal,
  });
  const onBatch = sqsBatchHandler({
    ...around,
    functionName: resyncFunction,
    serve: ({ messages }, invocation) =>
      serveExpansions(
        {
          ...around,
          functionName: resyncFunction,
          log: invocation.log,
          connect: async () => {
            await connect(invocation.signal);
            return toOptions(invocation);
          },
        },
        messages,
      ),
  });
  const onSchedule = scheduledHandler({
    ...around,
    functionName: resyncFunction,
    serve: invocation => resync(toOptions(invocation)),
  });
  return (event, context: Context) =>
    typeof event === 'object' && event !== null && 'Records' in event
      ? onBatch(event, context)
      : onSchedule(event, context);
}
