// Creates the Lambda handler of the audit webhook. Its triggers are a Function URL and a log subscription.
import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration, Log } from '@capi-serverless/reconciler';
import { SeenVersions } from '../../shared/event-source/seen-versions.ts';
import { type HttpResponse, parseHttpRequest } from '../../shared/http/request.ts';
import { eventHandler, type LambdaHandler } from '../../shared/lambda/handlers.ts';
import { createRuntime } from '../../shared/lambda/runtime.ts';
import { createTokens } from '../../shared/lambda/tokens.ts';
import { createAuditSources } from './audit-sources.ts';
import { enqueueEvents } from './enqueue-events.ts';
import type { AuditEvent } from './event.ts';
import { serveHttp } from './http.ts';
import { parseLogsDelivery, serveLogs } from './logs.ts';

/** Throws ConfigError if the environment is not valid. */
export function createAuditHandler(
  functionName: string,
  declarations: readonly Declaration[],
): LambdaHandler<HttpResponse | undefined> {
  const runtime = createRuntime(functionName);
  const { watchFilter, providerGroups, auditTokens, featureGates } = runtime.config;
  const sources = createAuditSources(ofGates(declarations, featureGates), providerGroups);
  const tokens = createTokens('CAPI_AUDIT_TOKENS', auditTokens);
  const versions = new SeenVersions();
  const enqueueEventsWith = (log: Log) => async (events: readonly AuditEvent[]) => {
    const managementCluster = await runtime.managementCluster();
    return enqueueEvents({ ...runtime, sources, managementCluster, watchFilter, versions, log }, events);
  };
  return eventHandler({
    ...runtime,
    functionName,
    serve: async (event, { log }) => {
      const options = { ...runtime, functionName, log, enqueueEvents: enqueueEventsWith(log) };
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
