// Which functions there are, and the queue that triggers each: derived from the declarations, for the local run and the deployment alike.
import { declarations } from '../functions/declarations.ts';
import type { Declaration } from '../shared/kernel/types.ts';
import { delayQueue, expandQueue, workQueueOf } from '../shared/workqueue/queue-names.ts';
import { resyncTimeoutSeconds, timerTimeoutSeconds } from '../shared/workqueue/queue-specs.ts';
import type { FunctionEntry } from './bundles/bundle.ts';

export interface FunctionPlan extends FunctionEntry {
  readonly queue: string;
  readonly timeoutSeconds: number;
  /** Default: `defaultMemoryMiB`. Lambda gives computing time in proportion. */
  readonly memoryMiB?: number;
}

export const defaultMemoryMiB = 512;

/** A function that something else than a queue calls. */
export type SourcePlan = Omit<FunctionPlan, 'queue'>;

export const timerFunction = 'timer';
export const resyncFunction = 'resync';

/** `folder` holds one folder per declaration with its handler. */
export function toReconcilerFunctions(reconcilers: readonly Declaration[], folder: string): readonly FunctionPlan[] {
  return reconcilers.map(({ name, timeoutSeconds }) => ({
    name,
    entry: `${folder}/${name}/handler.ts`,
    queue: workQueueOf(name),
    timeoutSeconds,
  }));
}

/** The functions between the queues. */
export const plumbingFunctions: readonly FunctionPlan[] = [
  { name: timerFunction, entry: 'functions/timer/handler.ts', queue: delayQueue, timeoutSeconds: timerTimeoutSeconds },
  {
    name: resyncFunction,
    entry: 'functions/resync/handler.ts',
    queue: expandQueue,
    timeoutSeconds: resyncTimeoutSeconds,
  },
];

/** As long as an API server waits for an answer: https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#webhook-backend */
const auditTimeoutSeconds = 30;

/** Called by an API server, through a Function URL, or by a subscription of its audit log. */
export const auditFunction: SourcePlan = {
  name: 'audit-webhook',
  entry: 'functions/audit-webhook/handler.ts',
  timeoutSeconds: auditTimeoutSeconds,
};

/** Called by Secrets Manager: makes a new token of the audit webhook, beside the one before. */
export const rotationFunction: SourcePlan = {
  name: 'rotate-audit-token',
  entry: 'functions/rotate-audit-token/handler.ts',
  timeoutSeconds: 30,
  memoryMiB: 256,
};

/** As often as an EventBridge schedule can call it. A first list of many objects takes longer; runs may overlap. */
export const windowedPeriodSeconds = 60;

/** Watches the management cluster in windows, called by a schedule, where no process may stay to watch it. */
export const windowedFunction: SourcePlan = {
  name: 'windowed-forwarder',
  entry: 'functions/windowed-forwarder/handler.ts',
  timeoutSeconds: 120,
  // It waits for streams most of its time, which costs by memory.
  memoryMiB: 256,
};

/** What a deployment consists of. */
export const deployedFunctions: readonly FunctionPlan[] = [
  ...toReconcilerFunctions(declarations, 'functions'),
  ...plumbingFunctions,
];

/** Every function that a deployment may have. */
export const allFunctions: readonly SourcePlan[] = [
  ...deployedFunctions,
  auditFunction,
  rotationFunction,
  windowedFunction,
];

/** Node leaves garbage lying while there is room: a first list of 10,000 objects needs far less than it would take. */
export const forwarderFlags: readonly string[] = ['--max-old-space-size=96', '--max-semi-space-size=2'];

/** The process that watches the management cluster, for a container: one file, started by `node <forwarderFlags> <file>`. */
export const forwarderProgram: FunctionEntry = { name: 'watch-forwarder', entry: 'functions/watch-forwarder/main.ts' };
