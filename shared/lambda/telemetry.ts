// Outermost middleware: says what became of each invocation, and hands over what it counted.
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Middleware, MiddlewareRequest } from './invocation.ts';

export interface TelemetryOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly flush?: () => Promise<void>;
}

/** Logs each invocation's end: failures as errors, the rest for debugging. */
export function telemetry({ log, clock, flush = async () => undefined }: TelemetryOptions): Middleware {
  const startedAt = new WeakMap<MiddlewareRequest, number>();
  const fieldsOf = (request: MiddlewareRequest) => ({
    requestId: request.context.awsRequestId,
    ms: clock.now() - (startedAt.get(request) ?? clock.now()),
    ...(request.internal.messages === undefined ? {} : { messages: request.internal.messages }),
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
