// The bytes of log that the estimate counts for an invocation, against the lines of a settled reconcile and of Lambda.
import { expect, it, onTestFinished } from 'vitest';
import { assumed } from '../../../../cli/cost/items.ts';
import { type LogFact, logs } from '../../../../shared/diagnostics/channels.ts';
import { reconcileBatch } from '../../../../shared/kernel/batch.ts';
import { sqsBatchHandler } from '../../../../shared/lambda/handlers.ts';
import { createJsonLog } from '../../../../shared/telemetry/json-log.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { toBody } from '../../../../shared/workqueue/message.ts';
import { aReconciler, aWidget, widgetCrd } from '../../../support/kernel.ts';
import { aContext, anSqsEvent, anSqsRecord } from '../../../support/lambda-events.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

const uuid = '8f507cfc-1111-4697-b07a-ac58fc914c95';
const namespace = 'a-namespace-of-a-team-or-so';
const name = 'a-cluster-of-that-team-md-0-7d9f8b6c5-x2k4p';

/** https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html */
const linesOfLambda = [
  `INIT_START Runtime Version: nodejs:24.v10\tRuntime Version ARN: arn:aws:lambda:us-east-1::runtime:${'0'.repeat(64)}`,
  `START RequestId: ${uuid} Version: $LATEST`,
  `END RequestId: ${uuid}`,
  `REPORT RequestId: ${uuid}\tDuration: 1115.74 ms\tBilled Duration: 1147 ms\tMemory Size: 512 MB\tMax Memory Used: 101 MB\tInit Duration: 1130.72 ms`,
];
/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html */
const bytesPerEvent = 26;

it('the estimate counts more bytes than an invocation with one settled object writes', async () => {
  const lines: string[] = [];
  const take = (fact: unknown): void => void lines.push(JSON.stringify((fact as LogFact).line)); // true: by the channel
  logs.subscribe(take);
  onTestFinished(() => void logs.unsubscribe(take));
  const api = createMemoryApi({ crds: [widgetCrd] });
  api.given(aWidget({ metadata: { namespace, name } }));
  const log = createJsonLog({ level: 'info', fields: { function: 'machinedeployment-topology' } });
  const metrics = createMetricsRegistry();
  const handler = sqsBatchHandler({
    functionName: 'machinedeployment-topology',
    clock: api.clock,
    log,
    metrics,
    serve: ({ messages }, { log: ofInvocation, signal }) =>
      reconcileBatch(
        {
          reconciler: aReconciler(),
          kubernetes: api.kubernetes,
          ports: {},
          clock: api.clock,
          signal,
          log: ofInvocation,
          watchFilter: '',
          managementCluster: uuid,
          queues: { send: async (_queue, sent) => sent.map(() => ({ ok: true })), delete: async () => undefined },
          metrics,
          newId: () => uuid,
          fullResyncPeriodMs: 600_000,
        },
        messages,
      ),
  });
  const key = { managementCluster: uuid, group: 'conformance.example.com', kind: 'Widget', namespace, name };
  const body = toBody({ v: 1, reconciler: 'widget', key, cause: 'resync', attempt: 0, trace: uuid });
  await handler(anSqsEvent(anSqsRecord({ body, messageId: uuid })), { ...aContext(api.clock), awsRequestId: uuid });
  expect(lines).toEqual([expect.stringContaining('"message":"Reconciled"')]);
  const bytes = [...linesOfLambda, ...lines].reduce((sum, line) => sum + line.length + bytesPerEvent, 0);
  expect(bytes).toBeLessThan(assumed.logBytesPerInvocation);
  expect(bytes).toBeGreaterThan(assumed.logBytesPerInvocation * 0.8);
});
