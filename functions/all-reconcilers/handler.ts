// The Lambda function of the work queue that all reconcilers share.

import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import { parseConfig } from '../../shared/config/env.ts';
import { sharedQueueHandler } from '../../shared/lambda/shared-queue-handler.ts';
import { createJsonLog } from '../../shared/telemetry/json-log.ts';
import { createTelemetry } from '../../shared/telemetry/wire.ts';
import { declarations } from '../declarations.ts';
import { lazyHandlers } from '../lazy-handlers.ts';

const functionName = 'all-reconcilers';
const config = parseConfig(process.env);
const running = ofGates(declarations, config.featureGates).map(({ name }) => name);

export const handler = sharedQueueHandler({
  functionName,
  log: createJsonLog({ level: config.logLevel, fields: { function: functionName } }),
  clock: systemClock,
  ...createTelemetry({ config, functionName, clock: systemClock }),
  handlers: Object.fromEntries(Object.entries(lazyHandlers).filter(([name]) => running.includes(name))),
});
