// Innermost middleware: tells the work to end while there is still time to say what became of it.
// https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Call, Middleware, MiddlewareRequest } from './invocation.ts';

/** Kept free at the end of an invocation for what must follow an abort: sending the retry, answering the service. */
export const safetyMarginMs = 1000;

/** Said where nobody reads it: without a reason each abort makes an error, stack and all. */
const workEnded = 'the work has ended';

interface Watchdog {
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

/** Wraps the event into a `Call` whose signal aborts `safetyMarginMs` before the function's time is up, and not once the work is done. */
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
      const call: Call<unknown> = { event: request.event, invocation };
      request.event = call;
    },
    after: end,
    onError: end,
  };
}
