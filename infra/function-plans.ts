// The functions and their queues for the local run and for deployments, derived from the declarations.

import type { Declaration } from '@capi-serverless/reconciler';
import { declarations } from '../functions/declarations.ts';
import { delayQueue, expandQueue, sharedWorkQueue, workQueueOf } from '../shared/workqueue/queue-names.ts';
import {
  batchSizeOf,
  largestBatch,
  resyncTimeoutSeconds,
  sharedBatch,
  timerTimeoutSeconds,
} from '../shared/workqueue/queue-specs.ts';
import type { FunctionEntry } from './bundles/bundle.ts';

export interface FunctionPlan extends FunctionEntry {
  readonly queue: string;
  /** The maximum number of messages of one invocation. */
  readonly batchSize: number;
  readonly timeoutSeconds: number;
  /** The memory in MiB. Default: `defaultMemoryMiB`. Lambda allocates CPU in proportion to memory. */
  readonly memoryMiB?: number;
}

export const defaultMemoryMiB = 512;

/** A function without a queue. */
export type SourcePlan = Omit<FunctionPlan, 'queue' | 'batchSize'>;

export const timerFunction = 'timer';
export const resyncFunction = 'resync';

/** `folder` contains one folder per declaration, with its handler. */
export function toReconcilerFunctions(reconcilers: readonly Declaration[], folder: string): readonly FunctionPlan[] {
  return reconcilers.map(declaration => ({
    name: declaration.name,
    entry: `${folder}/${declaration.name}/handler.ts`,
    queue: workQueueOf(declaration.name),
    batchSize: batchSizeOf(declaration),
    timeoutSeconds: declaration.timeoutSeconds,
  }));
}

/** The function of all reconcilers, for deployments where they share a work queue. */
export const sharedFunction: FunctionEntry = {
  name: 'all-reconcilers',
  entry: 'functions/all-reconcilers/handler.ts',
};

/** `reconcilers` are the functions that the shared one replaces. It has the largest of their limits. */
export function toSharedFunction(reconcilers: readonly FunctionPlan[]): FunctionPlan {
  return {
    ...sharedFunction,
    queue: sharedWorkQueue,
    batchSize: sharedBatch,
    timeoutSeconds: Math.max(...reconcilers.map(({ timeoutSeconds }) => timeoutSeconds)),
    memoryMiB: Math.max(...reconcilers.map(({ memoryMiB = defaultMemoryMiB }) => memoryMiB)),
  };
}

/** The functions between queues: timer and resync. */
export const plumbingFunctions: readonly FunctionPlan[] = [
  {
    name: timerFunction,
    entry: 'functions/timer/handler.ts',
    queue: delayQueue,
    batchSize: largestBatch,
    timeoutSeconds: timerTimeoutSeconds,
  },
  {
    name: resyncFunction,
    entry: 'functions/resync/handler.ts',
    queue: expandQueue,
    batchSize: largestBatch,
    timeoutSeconds: resyncTimeoutSeconds,
  },
];

/**
 * The timeout of the API server for webhooks:
 * https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/#webhook-backend
 */
const auditTimeoutSeconds = 30;

/** The function that an API server invokes through a Function URL, or that a subscription of its audit log invokes. */
export const auditFunction: SourcePlan = {
  name: 'audit-webhook',
  entry: 'functions/audit-webhook/handler.ts',
  timeoutSeconds: auditTimeoutSeconds,
};

/**
 * The maximum timeout of admission webhooks:
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts
 */
const admissionTimeoutSeconds = 30;

/** The function that an API server invokes to default and validate an object before it stores it. */
export const admissionFunction: SourcePlan = {
  name: 'admission',
  entry: 'functions/admission/handler.ts',
  timeoutSeconds: admissionTimeoutSeconds,
};

/** The function that Secrets Manager invokes to rotate the tokens of webhooks. */
export const rotationFunction: SourcePlan = {
  name: 'rotate-audit-token',
  entry: 'functions/rotate-audit-token/handler.ts',
  timeoutSeconds: 30,
  memoryMiB: 256,
};

/** The minimum period of an EventBridge schedule. The first list of many objects may take longer. Runs may overlap. */
export const windowedPeriodSeconds = 60;

/** The function that a schedule invokes, for management clusters without a watch-forwarder. */
export const windowedFunction: SourcePlan = {
  name: 'windowed-forwarder',
  entry: 'functions/windowed-forwarder/handler.ts',
  timeoutSeconds: 120,
  // The memory is small, because the function mostly waits for streams and Lambda bills this time by memory.
  memoryMiB: 256,
};

/** The functions of every deployment. */
export const deployedFunctions: readonly FunctionPlan[] = [
  ...toReconcilerFunctions(declarations, 'functions'),
  ...plumbingFunctions,
];

/** All functions that a deployment may have. */
export const allFunctions: readonly SourcePlan[] = [
  ...deployedFunctions,
  toSharedFunction(toReconcilerFunctions(declarations, 'functions')),
  auditFunction,
  admissionFunction,
  rotationFunction,
  windowedFunction,
];

/** Limits the heap, because Node otherwise collects garbage late. A list of 10,000 objects needs little memory. */
export const forwarderFlags: readonly string[] = ['--max-old-space-size=96', '--max-semi-space-size=2'];

/** The watch-forwarder for a container: one file, started with `node <forwarderFlags> <file>`. */
export const forwarderProgram: FunctionEntry = { name: 'watch-forwarder', entry: 'functions/watch-forwarder/main.ts' };
