// The function behind the delay queue.
import { randomUUID } from 'node:crypto';
import { parseConfig } from '../../shared/config/env.ts';
import { sqsBatchHandler } from '../../shared/lambda/handlers.ts';
import { createJsonLog } from '../../shared/telemetry/json-log.ts';
import { createMetricsRegistry } from '../../shared/telemetry/metrics.ts';
import { systemClock } from '../../shared/telemetry/system-clock.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/queues.ts';
import { forward } from './forward.ts';

const functionName = 'timer';
const { queueUrls, logLevel } = parseConfig(process.env);
const queues = createSqsQueues({ queueUrls });
const metrics = createMetricsRegistry();
const clock = systemClock;

export const handler = sqsBatchHandler({
  functionName,
  log: createJsonLog({ level: logLevel, fields: { function: functionName } }),
  clock,
  metrics,
  queues,
  serve: ({ messages }, { log }) =>
    forward(
      {
        functionName,
        queues,
        hasQueue: queue => Object.hasOwn(queueUrls, queue),
        clock,
        newId: randomUUID,
        metrics,
        log,
      },
      messages,
    ),
});
