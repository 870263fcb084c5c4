// The innermost middleware. It aborts the work shortly before the invocation times out.
// https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html
import type { Clock } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import type { HandlerInput, Middleware, MiddlewareRequest } from './invocation.ts';

/**
 * The time that is reserved at the end of an invocation for the work after an abort: sending the retry and the
 * response.
 */
const safetyMarginMs = 1000;

/** An abort without a reason creates an Error with a stack each time. This constant avoids the cost. */
const workEnded = 'the work has ended';

interface Watchdog {
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

/** Passes a `HandlerInput` whose signal aborts `safetyMarginMs` before the timeout. It does not abort after the work has ended. */
export function deadline({ log, clock }: { readonly log: Log; readonly clock: Clock }): Middleware {
  const watchdogs = new WeakMap<MiddlewareRequest, Watchdog>();
  const end = async (request: MiddlewareRequest): Promise<void> => {
    watchdogs.get(request)?.end.abort(workEnded);
    await watchdogs.get(request)?.ended;
  };
  return {
    name: 'deadline',
    before: request => {
      const work = new AbortController();
      const watchdog = new AbortController();
      const ms = Math.max(0, request.context.getRemainingTimeInMillis() - safetyMarginMs);
      const deadlineAt = clock.now() + ms;
      const ended = clock.sleep(ms, watchdog.signal).then(() => {
        if (!watchdog.signal.aborted) {
          work.abort(new DOMException('The time of this invocation is up', 'TimeoutError'));
        }
      });
      watchdogs.set(request, { end: watchdog, ended });
      const invocation = {
        signal: work.signal,
        deadline: deadlineAt,
        log: log.with({ requestId: request.context.awsRequestId }),
      };
      const call: HandlerInput<unknown> = { event: request.event, invocation };
      request.event = call;
    },
    after: end,
    onError: end,
  };
}
