// The Lambda function of the delay queue.
import { randomUUID } from 'node:crypto';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { parseConfig } from '../../shared/config/env.ts';
import { sqsBatchHandler } from '../../shared/lambda/handlers.ts';
import { createJsonLog } from '../../shared/telemetry/json-log.ts';
import { createTelemetry } from '../../shared/telemetry/wire.ts';
import { findActualQueue } from '../../shared/workqueue/queue-names.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/sqs-queues.ts';
import { forward } from './forward.ts';

const functionName = 'timer';
const config = parseConfig(process.env);
const { queueUrls, logLevel } = config;
const queues = createSqsQueues(config);
const clock = systemClock;
const { metrics, flush } = createTelemetry({ config, functionName, clock });

export const handler = sqsBatchHandler({
  functionName,
  log: createJsonLog({ level: logLevel, fields: { function: functionName } }),
  clock,
  metrics,
  flush,
  queues,
  serve: ({ messages }, { log }) =>
    forward(
      {
        functionName,
        queues,
        hasQueue: queue => findActualQueue(queue, queueUrls) !== undefined,
        clock,
        newId: randomUUID,
        metrics,
        log,
      },
      messages,
    ),
});
