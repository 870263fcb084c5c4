// The handler of every reconciler: what a function's folder exports is this, around its own reconciler.
import type { SQSBatchResponse } from 'aws-lambda';
import { reconcileBatch } from '../kernel/batch.ts';
import type { Reconciler } from '../kernel/types.ts';
import { type LambdaHandler, sqsBatchHandler } from './handlers.ts';
import { createRuntime } from './runtime.ts';

/** Wires a reconciler that needs no port beyond reads. Throws ConfigError when the environment is not valid. */
export function reconcilerHandler<Seen extends object>(
  reconciler: Reconciler<object, Seen>,
): LambdaHandler<SQSBatchResponse> {
  const functionName = reconciler.declaration.name;
  const { config, log, clock, metrics, newId, queues, kubernetes, managementCluster } = createRuntime(functionName);
  return sqsBatchHandler({
    functionName,
    log,
    clock,
    metrics,
    queues,
    serve: async ({ messages }, invocation) => {
      const [client, cluster] = await Promise.all([kubernetes(), managementCluster()]);
      return reconcileBatch(
        {
          reconciler,
          kubernetes: client.within(invocation.signal),
          ports: {},
          clock,
          signal: invocation.signal,
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
