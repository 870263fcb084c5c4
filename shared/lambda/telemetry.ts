// The outermost middleware: logs the outcome of each invocation and flushes metrics.
import { type Clock, withoutUndefined } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import type { Middleware, MiddlewareRequest } from './invocation.ts';

interface TelemetryOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly flush?: () => Promise<void>;
}

/** Logs failed invocations as errors, others at debug level. */
export function telemetry({ log, clock, flush = async () => undefined }: TelemetryOptions): Middleware {
  const startedAt = new WeakMap<MiddlewareRequest, number>();
  const fieldsOf = (request: MiddlewareRequest) => ({
    requestId: request.context.awsRequestId,
    ms: clock.now() - (startedAt.get(request) ?? clock.now()),
    ...withoutUndefined({ messages: request.internal.messages }),
  });
  return {
    name: 'telemetry',
    before: request => {
      startedAt.set(request, clock.now());
    },
    after: request => {
      log.debug('Served an invocation', fieldsOf(request));
      return flush();
    },
    onError: request => {
      log.error('Serving an invocation failed', request.error, fieldsOf(request));
      return flush();
    },
  };
}
