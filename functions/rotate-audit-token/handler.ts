// The Lambda function that Secrets Manager calls to rotate the token of the audit webhook.
import { randomBytes } from 'node:crypto';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { parseConfig } from '../../shared/config/env.ts';
import { eventHandler } from '../../shared/lambda/handlers.ts';
import { createJsonLog } from '../../shared/telemetry/json-log.ts';
import { parseOrder, rotate } from './rotate.ts';
import { createSecretVersions } from './secret-versions.ts';

const functionName = 'rotate-audit-token';
const tokenBytes = 32;
const options = { versions: createSecretVersions(), newToken: () => randomBytes(tokenBytes).toString('base64url') };

export const handler = eventHandler({
  functionName,
  log: createJsonLog({ level: parseConfig(process.env).logLevel, fields: { function: functionName } }),
  clock: systemClock,
  serve: (event, { log }) => {
    const order = parseOrder(event);
    log.info('Rotating a token', { step: order.Step, secret: order.SecretId });
    return rotate(options, order);
  },
});
