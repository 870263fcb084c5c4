// The handler of every reconciler: what a function's folder exports is this, around its own reconciler.
import type { SQSBatchResponse } from 'aws-lambda';
import { reconcileBatch } from '../kernel/batch.ts';
import type { Declaration, Reconciler } from '../kernel/types.ts';
import { type LambdaHandler, sqsBatchHandler } from './handlers.ts';
import { createRuntime, type Runtime } from './runtime.ts';

/** Wires a reconciler that needs no port beyond reads. Throws ConfigError when the environment is not valid. */
export function reconcilerHandler<Seen extends object>(
  reconciler: Reconciler<object, Seen>,
): LambdaHandler<SQSBatchResponse> {
  return portedHandler(reconciler.declaration, () => ({ reconciler, ports: {} }));
}

export interface Wired<Ports, Seen> {
  readonly reconciler: Reconciler<Ports, Seen>;
  /** All but `dryRun`, which is the client's own. */
  readonly ports: Omit<Ports, 'dryRun'>;
}

/** Wires a reconciler with its further ports, all made once per process. Throws ConfigError as above. */
export function portedHandler<Ports, Seen extends object>(
  { name: functionName }: Pick<Declaration, 'name'>,
  wire: (runtime: Runtime) => Wired<Ports, Seen>,
): LambdaHandler<SQSBatchResponse> {
  const runtime = createRuntime(functionName);
  const { config, log, clock, metrics, flush, newId, queues, kubernetes, managementCluster } = runtime;
  const { reconciler, ports } = wire(runtime);
  return sqsBatchHandler({
    functionName,
    log,
    clock,
    metrics,
    flush,
    queues,
    serve: async ({ messages }, invocation) => {
      const [client, cluster] = await Promise.all([kubernetes(), managementCluster()]);
      return reconcileBatch(
        {
          reconciler,
          kubernetes: client.within(invocation.signal),
          ports,
          clock,
          signal: invocation.signal,
          deadline: invocation.deadline,
          log: invocation.log,
          watchFilter: config.watchFilter,
          managementCluster: cluster,
          queues,
          metrics,
          newId,
          resyncPeriodMs: config.resyncPeriodSeconds * 1000,
        },
        messages,
      );
    },
  });
}
