// One management cluster with all functions and event sources, in virtual time.
import type { Answer } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import type { MetricLabels } from '../../../shared/kernel/metrics.ts';
import type { WorkQueueLayout } from '../../../shared/workqueue/queue-specs.ts';
import { type Engine, SimulatedProcess } from '../engine/process.ts';
import type { Random } from '../engine/random.ts';
import { connectQueues } from '../ports/connect-queues.ts';
import { connect, type ServedRequest, usualLargestPage } from '../ports/kubernetes.ts';
import { createWorkloads, type SimulatedWorkloads } from '../ports/workload-api.ts';
import { createSimulatedApi, type SimulatedApi } from './api-server.ts';
import { SimulatedAuditWebhook } from './audit.ts';
import { type InvocationEvent, SimulatedEventSourceMapping } from './event-source-mapping.ts';
import { createExtensions, type SimulatedExtensions } from './extensions.ts';
import { Forwarders } from './forwarders.ts';
import {
  type HandlerDependencies,
  type SimulatedFunction,
  type SimulatedReconciler,
  toFunctions,
} from './functions.ts';
import { Lambda } from './lambda.ts';
import { createTracingLog, type LogLine } from './log.ts';
import { createSimulatedQueues, type SimulatedQueues } from './simulated-queues.ts';
import type { SimulatedWorld } from './stored-state.ts';

/** The parts that tests replace to prove that the oracles detect a defect. */
export interface SystemParts {
  readonly reconcilers: readonly SimulatedReconciler[];
  /** Called with each function when it is loaded. */
  readonly alterFunction: (of: SimulatedFunction) => SimulatedFunction;
  /** The dependencies of a process, for functions and forwarders. */
  readonly alterDependencies: (of: HandlerDependencies, processName: string) => HandlerDependencies;
}

export interface SystemOptions extends Partial<Omit<SystemParts, 'reconcilers'>>, Pick<SystemParts, 'reconcilers'> {
  readonly engine: Engine;
  /** The initial state. Default: only the definitions. */
  readonly world: SimulatedWorld | undefined;
  /** Default: `per-kind`. */
  readonly layout?: WorkQueueLayout | undefined;
  readonly forwarders: number;
  /** Whether forwarders watch the Nodes of workload clusters. Default: false. */
  readonly watchesNodes?: boolean | undefined;
  /** The maximum number of concurrent invocations of each function. Default: as in `Lambda`. */
  readonly maximumConcurrency?: number;
  /** The most objects of a page of a list. Default: `usualLargestPage`. */
  readonly largestPage?: number;
  /** Whether audit events are also a source. */
  readonly audit: boolean;
  readonly onServed: (request: ServedRequest) => void;
  readonly onAnswered: (request: ServedRequest, answer: Answer<unknown>) => void;
  readonly onLog: (line: LogLine) => void;
  readonly onMetric: (name: string, labels: MetricLabels) => void;
  readonly onInvocation: (event: InvocationEvent) => void;
}

export interface System extends RunningSystem {
  readonly api: SimulatedApi;
}

/** The functions and event sources of one management cluster, without its API server. */
export interface RunningSystem {
  readonly workloads: SimulatedWorkloads;
  readonly queues: SimulatedQueues;
  readonly forwarders: Forwarders;
  readonly extensions: SimulatedExtensions;
  readonly managementCluster: string;
  /** The reconcilers that run. */
  readonly declarations: readonly Declaration[];
  readonly lambdas: ReadonlyMap<string, Lambda>;
  /** Runs the resync function once, as its schedule does. */
  resync(): void;
  /** Returns true if nothing runs and no message is pending. */
  isIdle(): boolean;
}

export function createSystem(options: SystemOptions): System {
  const api = createSimulatedApi(options.engine, options.world);
  const managementCluster = api.core.get({
    endpoint: api.core.registry.endpointOfKind('v1', 'Namespace'),
    namespace: '',
    name: 'kube-system',
  }).metadata.uid;
  return { ...startSystem(options, api, managementCluster), api };
}

/** An API server that the functions use. */
type ServedApi = Pick<SimulatedApi, 'clientOf' | 'onCommit'> & Partial<Pick<SimulatedApi, 'core'>>;

export function startSystem(options: SystemOptions, api: ServedApi, managementCluster: string): RunningSystem {
  const { engine, reconcilers } = options;
  const declarations = reconcilers.map(({ declaration }) => declaration);
  const queues = createSimulatedQueues(engine, declarations, options.layout);
  const extensions = createExtensions(options.world?.answers);
  const services = { api, queues, extensions, workloads: createWorkloads(engine, api.core) };
  const start = (name: string) => startProcess({ ...options, ...services, name });
  const functions = functionsOf(options, managementCluster);
  const lambdas = new Map<string, Lambda>();
  const mappings = functions.map(each => {
    let environments = 0;
    const lambda = new Lambda({
      engine,
      function: each,
      maximumConcurrency: options.maximumConcurrency,
      start() {
        environments += 1;
        const { process, around } = start(`${each.name}.${environments}`);
        return { process, handler: each.load(around) };
      },
    });
    lambdas.set(each.name, lambda);
    return new SimulatedEventSourceMapping({
      engine,
      queue: each.queue,
      batchSize: each.batchSize,
      queues,
      lambda,
      onInvocation: options.onInvocation,
    });
  });
  const forwarders = new Forwarders({
    engine,
    replicas: options.forwarders,
    declarations,
    managementCluster,
    watched: options.watchesNodes === true ? services.workloads : undefined,
    startProcess: start,
  });
  const parts = { engine, api, declarations, managementCluster, startProcess: start };
  const audit = options.audit ? new SimulatedAuditWebhook(parts) : undefined;
  const resync = (): void => {
    lambdas.get('resync')?.invoke({ 'detail-type': 'Scheduled Event' }, () => {});
  };
  if (engine.resyncPeriodMs !== undefined) {
    schedule(engine, engine.resyncPeriodMs, resync);
  }
  return {
    workloads: services.workloads,
    queues,
    forwarders,
    extensions,
    managementCluster,
    declarations,
    lambdas,
    resync,
    isIdle: () => forwarders.isIdle && audit?.isIdle !== false && mappings.every(mapping => mapping.isIdle),
  };
}

function functionsOf(
  { engine, reconcilers, layout, alterFunction = same }: SystemOptions,
  managementCluster: string,
): readonly SimulatedFunction[] {
  return toFunctions(reconcilers, {
    managementCluster,
    resyncPeriodMs: engine.resyncPeriodMs,
    readsManagementCluster: engine.faults.readsManagementCluster === true,
    layout,
  }).map(alterFunction);
}

function same<T>(of: T): T {
  return of;
}

/** The first run has nothing to compare with and enqueues every object. Later runs find changes only. */
function schedule(engine: Pick<Engine, 'scheduler'>, periodMs: number, run: () => void): void {
  engine.scheduler.after(0, run);
  repeat(engine, periodMs, run);
}

function repeat({ scheduler }: Pick<Engine, 'scheduler'>, periodMs: number, run: () => void): void {
  scheduler.after(periodMs, () => {
    run();
    repeat({ scheduler }, periodMs, run);
  });
}

interface Starting
  extends Pick<
    SystemOptions,
    'engine' | 'largestPage' | 'onServed' | 'onAnswered' | 'onLog' | 'onMetric' | 'alterDependencies'
  > {
  readonly api: ServedApi;
  readonly queues: SimulatedQueues;
  readonly extensions: SimulatedExtensions;
  readonly workloads: SimulatedWorkloads;
  readonly name: string;
}

/** A process of the product with its connections. */
export function startProcess(options: Starting): {
  readonly process: SimulatedProcess;
  readonly around: HandlerDependencies;
} {
  const { engine, api, queues, extensions, workloads, name, onServed, onAnswered, onLog, onMetric } = options;
  const random: Random = engine.random.fork(name);
  const { largestSkewMs } = engine;
  const process = new SimulatedProcess(engine, { name, skewMs: random.between(-largestSkewMs, largestSkewMs) });
  const kubernetes = connect({
    engine,
    process,
    random,
    server: api.clientOf(name),
    largestPage: options.largestPage ?? usualLargestPage,
    onServed,
    onAnswered,
  });
  const log = createTracingLog(name, onLog);
  const around: HandlerDependencies = {
    process,
    kubernetes,
    queues: connectQueues(process, queues.serviceOf(name)),
    clock: process.clock,
    newId: () => random.uuid(),
    random: () => random.next(),
    log,
    metrics: { count: onMetric, observe: onMetric },
    extensions,
    workload: workloads.connect(process),
  };
  return { process, around: options.alterDependencies?.(around, name) ?? around };
}
