// Creates the Lambda handler of the resync function. Its triggers are a schedule, the expand queue and purges of queues.

import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration } from '@capi-serverless/reconciler';
import type { Context } from 'aws-lambda';
import { eventHandler, type LambdaHandler, sqsBatchHandler } from '../../shared/lambda/handlers.ts';
import type { Invocation } from '../../shared/lambda/invocation.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { layoutOf } from '../../shared/workqueue/queue-specs.ts';
import { serveExpansions } from './expansions.ts';
import { notePurge, purgedQueueOf } from './note-purge.ts';
import type { ResyncOptions } from './options.ts';
import { reportQueueDepths } from './report-queue-depths.ts';
import { resync } from './resync.ts';
import { sendAgain } from './send-again.ts';

/** Throws ConfigError if the environment is not valid. */
export function createResyncHandler(
  functionName: string,
  declarations: readonly Declaration[],
): LambdaHandler<unknown> {
  const runtime = createRuntime(functionName);
  const { config } = runtime;
  const connect = async ({ signal, log }: Invocation): Promise<ResyncOptions> => {
    const { kubernetes, managementCluster } = await runtime.connect(signal);
    return {
      ...runtime,
      kubernetes,
      declarations: ofGates(declarations, config.featureGates),
      watches: kubernetes.watches,
      managementCluster,
      watchFilter: config.watchFilter,
      layout: layoutOf(config.queueUrls),
      stateNamespace: config.stateNamespace,
      periodSeconds: config.resyncPeriodSeconds,
      fullPeriodSeconds: config.fullResyncPeriodSeconds,
      log,
      signal,
    };
  };
  const onBatch = sqsBatchHandler({
    ...runtime,
    functionName,
    serve: ({ messages }, invocation) =>
      serveExpansions({ ...runtime, functionName, log: invocation.log, connect: () => connect(invocation) }, messages),
  });
  const onSchedule = async (invocation: Invocation): Promise<void> => {
    const known = Object.keys(config.queueUrls);
    const letters = await reportQueueDepths({ ...runtime, known, log: invocation.log });
    const options = await connect(invocation);
    const again = { ...options, queues: runtime.queues, known: config.queueUrls };
    await resync({ ...options, deadLetters: { letters, sendAgain: queue => sendAgain(again, queue) } });
  };
  const onEvent = eventHandler({
    ...runtime,
    functionName,
    serve: async (event, invocation) => {
      const purged = purgedQueueOf(event, config.queueUrls);
      await (purged === undefined ? onSchedule(invocation) : notePurge(await connect(invocation), purged));
    },
  });
  return (event: unknown, context: Context) => (isBatch(event) ? onBatch(event, context) : onEvent(event, context));
}

function isBatch(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'Records' in event;
}
