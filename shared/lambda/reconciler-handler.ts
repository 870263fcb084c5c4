// Creates the Lambda handler of a reconciler.

import { withoutUndefined } from '@capi-serverless/apimachinery';
import {
  type DeclarationOf,
  makePorts,
  type PortFactories,
  type Reconciler,
  workShareOf,
} from '@capi-serverless/reconciler';
import type { WorkloadWriters } from '@capi-serverless/reconciler/runner';
import type { SQSBatchResponse } from 'aws-lambda';
import { connectAndReconcile } from '../kernel/batch.ts';
import { type LambdaHandler, sqsBatchHandler } from './handlers.ts';
import { createRuntime, type Runtime } from './runtime.ts';

interface Wiring<Ports, Seen> {
  readonly reconciler: (runtime: Runtime) => Reconciler<Ports, Seen>;
  /** Creates the adapter of each port that the declaration names. */
  readonly ports: PortFactories<NoInfer<Ports>, Runtime>;
  /** The clients for actions that are aimed at workload clusters. Required if there are such actions. */
  readonly workload?: WorkloadWriters;
}

/** For a reconciler without further ports. Throws ConfigError if the environment is not valid. */
export function reconcilerHandler<Seen extends object>(
  reconciler: Reconciler<object, Seen>,
): LambdaHandler<SQSBatchResponse> {
  return portedHandler(reconciler.declaration, { reconciler: () => reconciler, ports: {} });
}

/**
 * For a reconciler with further ports. Creates everything once per process. If several ports have a common adapter, the
 * wiring is a function that creates it. Throws ConfigError if the environment is not valid.
 */
export function portedHandler<Ports, Seen extends object>(
  { name: functionName }: DeclarationOf<keyof Ports & string>,
  wiring: Wiring<Ports, Seen> | ((runtime: Runtime) => Wiring<Ports, Seen>),
): LambdaHandler<SQSBatchResponse> {
  const runtime = createRuntime(functionName);
  return toHandler(runtime, functionName, typeof wiring === 'function' ? wiring(runtime) : wiring);
}

/** As `portedHandler`, for a reconciler that loads modules on demand before its first message. */
export async function loadedHandler<Ports, Seen extends object>(
  { name: functionName }: DeclarationOf<keyof Ports & string>,
  load: (runtime: Runtime) => Promise<Wiring<Ports, Seen>>,
): Promise<LambdaHandler<SQSBatchResponse>> {
  const runtime = createRuntime(functionName);
  return toHandler(runtime, functionName, await load(runtime));
}

function toHandler<Ports, Seen extends object>(
  runtime: Runtime,
  functionName: string,
  wired: Wiring<Ports, Seen>,
): LambdaHandler<SQSBatchResponse> {
  const { config, log, clock, metrics, flush, newId, random, queues, connect } = runtime;
  const once = {
    reconciler: wired.reconciler(runtime),
    ports: makePorts<Ports, Runtime>(wired.ports, runtime),
    ...withoutUndefined({ workload: wired.workload }),
    clock,
    queues,
    metrics,
    newId,
    random,
    watchFilter: config.watchFilter,
    workShare: workShareOf(config.memoryMiB),
    fullResyncPeriodMs: config.fullResyncPeriodSeconds * 1000,
  };
  return sqsBatchHandler({
    functionName,
    log,
    clock,
    metrics,
    flush,
    queues,
    serve: ({ messages }, { signal, deadline, log: ofInvocation }) =>
      connectAndReconcile({ ...once, signal, deadline, log: ofInvocation }, () => connect(signal), messages),
  });
}
