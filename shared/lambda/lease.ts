// Hides the messages of a batch while this process works on them, and no longer. If the process dies, they are delivered
// again within the lease. Messages that the work gives back are delivered again soon.
import type { Clock } from '@capi-serverless/apimachinery';
import type { Log } from '@capi-serverless/reconciler';
import type { QueueVisibility } from '../workqueue/port.ts';
import { leaseSeconds } from '../workqueue/queue-specs.ts';
import type { Batch } from './event-parsing.ts';
import type { Middleware, MiddlewareRequest } from './invocation.ts';

/** The lease is renewed so often that a failed renewal ends nothing. It is repeated soon. */
const renewAfterMs = 20_000;
const repeatAfterMs = 5_000;

/** The delay of messages that the work gives back: shorter than any lease, so that it does not look like a death. */
const givenBackSeconds = 10;

interface LeaseOptions {
  readonly queues: QueueVisibility;
  readonly clock: Clock;
  readonly log: Log;
}

interface Lease {
  readonly batch: Batch;
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

/** A failure is only logged. The messages are then delivered again at another time. */
export function lease({ queues, clock, log }: LeaseOptions): Middleware {
  const leases = new WeakMap<MiddlewareRequest, Lease>();
  const hide = async ({ queue, messages }: Batch, seconds: number): Promise<boolean> => {
    const handles = messages.map(({ receiptHandle }) => receiptHandle);
    try {
      await queues.changeVisibility(queue, handles, seconds);
      return true;
    } catch (thrown) {
      log.error('Changing the visibility timeout failed', thrown, { queue, seconds });
      return false;
    }
  };
  const renew = async (batch: Batch, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const isHidden = await hide(batch, leaseSeconds);
      await clock.sleep(isHidden ? renewAfterMs : repeatAfterMs, signal);
    }
  };
  const release = async (request: MiddlewareRequest, isBack: (messageId: string) => boolean): Promise<void> => {
    const held = leases.get(request);
    if (held === undefined) {
      return;
    }
    held.end.abort();
    await held.ended;
    const { queue, messages } = held.batch;
    const back = messages.filter(({ messageId }) => isBack(messageId));
    if (back.length > 0) {
      await hide({ queue, messages: back }, givenBackSeconds);
    }
  };
  return {
    name: 'lease',
    // The first call is not awaited, because the work does not depend on it.
    before: request => {
      const batch = request.event as Batch; // true: event parsing runs earlier and sets it
      if (batch.messages.length > 0) {
        const end = new AbortController();
        leases.set(request, { batch, end, ended: renew(batch, end.signal) });
      }
    },
    after: request => {
      const failed = request.response as readonly string[]; // true: this is the return type of `serve`
      return release(request, messageId => failed.includes(messageId));
    },
    onError: request => release(request, () => true),
  };
}
