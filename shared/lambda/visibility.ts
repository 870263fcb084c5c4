// Shortens the hiding of a batch to what this invocation can need, so that a crash blocks its groups for seconds only.
import type { Log } from '../kernel/log.ts';
import type { QueueVisibility } from '../workqueue/port.ts';
import type { Batch } from './event-parsing.ts';
import type { Middleware, MiddlewareRequest } from './invocation.ts';

/** How long a message stays hidden after the function's time is up: the queue's clock and ours are not the same. */
const slackSeconds = 5;

/** Hides the messages until the invocation must have ended. Failing to is logged: they are then hidden for longer. */
export function visibility({ queues, log }: { readonly queues: QueueVisibility; readonly log: Log }): Middleware {
  const changes = new WeakMap<MiddlewareRequest, Promise<void>>();
  const settle = async (request: MiddlewareRequest): Promise<void> => changes.get(request);
  return {
    name: 'visibility',
    // Only started here: the work need not wait for it.
    before: request => {
      const { queue, messages } = request.event as Batch; // what event parsing, which runs before, hands inwards
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
