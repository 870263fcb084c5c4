// Shortens the visibility timeout of a batch to the time of this invocation. A crash then blocks the message groups for
// seconds only.
import type { Log } from '@capi-serverless/reconciler';
import type { QueueVisibility } from '../workqueue/port.ts';
import type { Batch } from './event-parsing.ts';
import type { Middleware, MiddlewareRequest } from './invocation.ts';

/** Extra visibility after the function's timeout, because the clocks of queue and function differ. */
const slackSeconds = 5;

/** A failure is only logged. The messages then stay invisible for longer. */
export function visibility({ queues, log }: { readonly queues: QueueVisibility; readonly log: Log }): Middleware {
  const changes = new WeakMap<MiddlewareRequest, Promise<void>>();
  const settle = async (request: MiddlewareRequest): Promise<void> => changes.get(request);
  return {
    name: 'visibility',
    // The call is not awaited, because the work does not depend on it.
    before: request => {
      const { queue, messages } = request.event as Batch; // true: event parsing runs earlier and sets it
      if (messages.length === 0) {
        return;
      }
      const seconds = Math.ceil(request.context.getRemainingTimeInMillis() / 1000) + slackSeconds;
      const handles = messages.map(({ receiptHandle }) => receiptHandle);
      const change = queues.changeVisibility(queue, handles, seconds);
      changes.set(
        request,
        change.catch(error => log.error('Shortening the visibility timeout failed', error, { queue })),
      );
    },
    after: settle,
    onError: settle,
  };
}
