// Sends heartbeats to a queue without a consumer. An alarm uses the metrics of this queue.

import type { Clock } from '@capi-serverless/apimachinery';
import { type Log, toError } from '@capi-serverless/reconciler';
import type { QueueName, QueueSender } from '../../shared/workqueue/port.ts';

interface HeartbeatOptions {
  readonly queue: QueueName;
  readonly queues: QueueSender;
  readonly clock: Clock;
  readonly log: Log;
  /** The reasons why changes are not forwarded. Empty if they are forwarded. */
  unready(): readonly string[];
}

/** The period of the alarm covers several heartbeats. */
export const heartbeatMs = 120_000;

/** While changes are forwarded, sends one message per period until `signal` aborts. Never rejects. */
export async function keepBeating(options: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  const { queue, queues, clock, log, unready } = options;
  while (!signal.aborted) {
    await clock.sleep(heartbeatMs, signal);
    if (signal.aborted || unready().length > 0) {
      continue;
    }
    const [outcome] = await queues
      .send(queue, [{ body: '{}' }])
      .catch(thrown => [{ ok: false, error: toError(thrown) }] as const);
    if (outcome?.ok === false) {
      log.error('Sending a heartbeat failed', outcome.error, { queue });
    }
  }
}
