// Creates the Lambda handler of a reconciler.

import { type DeclarationOf, makePorts, type PortFactories, type Reconciler } from '@capi-serverless/reconciler';
import type { SQSBatchResponse } from 'aws-lambda';
import { connectAndReconcile } from '../kernel/batch.ts';
import { type LambdaHandler, sqsBatchHandler } from './handlers.ts';
import { createRuntime, type Runtime } from './runtime.ts';

interface Wiring<Ports, Seen> {
  readonly reconciler: (runtime: Runtime) => Reconciler<Ports, Seen>;
  /** Creates the adapter of each port that the declaration names. */
  readonly ports: PortFactories<NoInfer<Ports>, Runtime>;
}

/** For a reconciler without further ports. Throws ConfigError if the environment is not valid. */
export function reconcilerHandler<Seen extends object>(
  reconciler: Reconciler<object, Seen>,
): LambdaHandler<SQSBatchResponse> {
  return portedHandler(reconciler.declaration, { reconciler: () => reconciler, ports: {} });
}

/**
 * For a reconciler with further ports. Creates both once per process. Throws ConfigError if the environment is not
 * valid.
 */
export function portedHandler<Ports, Seen extends object>(
  { name: functionName }: DeclarationOf<keyof Ports & string>,
  wiring: Wiring<Ports, Seen>,
): LambdaHandler<SQSBatchResponse> {
  const runtime = createRuntime(functionName);
  const { config, log, clock, metrics, flush, newId, random, queues, connect } = runtime;
  const reconciler = wiring.reconciler(runtime);
  const ports = makePorts<Ports, Runtime>(wiring.ports, runtime);
  return sqsBatchHandler({
    functionName,
    log,
    clock,
    metrics,
    flush,
    queues,
    serve: ({ messages }, invocation) =>
      connectAndReconcile(
        {
          reconciler,
          ports,
          clock,
          signal: invocation.signal,
          deadline: invocation.deadline,
          log: invocation.log,
          watchFilter: config.watchFilter,
          queues,
          metrics,
          newId,
          random,
          fullResyncPeriodMs: config.fullResyncPeriodSeconds * 1000,
        },
        () => connect(invocation.signal),
        messages,
      ),
  });
}
