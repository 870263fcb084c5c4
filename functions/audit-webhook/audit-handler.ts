// Wires the audit webhook of one list of declarations. It has two triggers: a Function URL, and a subscription of log lines.
import { ofGates } from '../../shared/config/feature-gates.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { Declaration } from '../../shared/kernel/types.ts';
import { eventHandler, type LambdaHandler } from '../../shared/lambda/handlers.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { createTokens } from '../../shared/lambda/tokens.ts';
import type { AuditEvent } from './event.ts';
import { type HttpResponse, parseHttpRequest, serveHttp } from './http.ts';
import { parseLogsDelivery, serveLogs } from './logs.ts';
import { createAuditSources } from './sources.ts';
import { takeIn } from './take-in.ts';

/** Throws ConfigError when the environment is not valid. */
export function createAuditHandler(
  functionName: string,
  declarations: readonly Declaration[],
): LambdaHandler<HttpResponse | undefined> {
  const runtime = createRuntime(functionName);
  const { watchFilter, queueDesign, providerGroups, auditTokens, featureGates } = runtime.config;
  const sources = createAuditSources(ofGates(declarations, featureGates), providerGroups);
  const tokens = createTokens(auditTokens);
  const takeInWith = (log: Log) => async (events: readonly AuditEvent[]) => {
    const managementCluster = await runtime.managementCluster();
    return takeIn({ ...runtime, sources, managementCluster, watchFilter, queueDesign, log }, events);
  };
  return eventHandler({
    ...runtime,
    functionName,
    serve: async (event, { log }) => {
      const options = { ...runtime, functionName, log, takeIn: takeInWith(log) };
      const delivery = parseLogsDelivery(event);
      const request = parseHttpRequest(event);
      if (delivery !== undefined) {
        await serveLogs(options, delivery);
        return undefined;
      }
      if (request !== undefined) {
        return serveHttp({ ...options, tokens }, request);
      }
      throw new TypeError(`Function "${functionName}" was called with neither an HTTP request nor log lines`);
    },
  });
}
