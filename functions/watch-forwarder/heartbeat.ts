// Sends heartbeats to a queue without a consumer. An alarm reads the queue's own metric.

import type { Clock } from '@capi-serverless/apimachinery';
import { type Log, toError } from '@capi-serverless/reconciler';
import type { QueueName, QueueSender } from '../../shared/workqueue/port.ts';

export interface HeartbeatOptions {
  readonly queue: QueueName;
  readonly queues: QueueSender;
  readonly clock: Clock;
  readonly log: Log;
  /** Why changes are not forwarded; empty if they are. */
  unready(): readonly string[];
}

/** The alarm's period covers several heartbeats. */
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
