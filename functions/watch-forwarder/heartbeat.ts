// Tells that the forwarder does its work, by a message on a queue that nobody reads: the queue's own metric is the heartbeat.

import type { Clock } from '../../shared/kernel/clock.ts';
import { toError } from '../../shared/kernel/errors.ts';
import type { Log } from '../../shared/kernel/log.ts';
import type { QueueName, QueueSender } from '../../shared/workqueue/port.ts';

export interface HeartbeatOptions {
  readonly queue: QueueName;
  readonly queues: QueueSender;
  readonly clock: Clock;
  readonly log: Log;
  /** Why changes are not told; empty when they are. */
  unready(): readonly string[];
}

/** An alarm waits for several. */
export const heartbeatMs = 120_000;

/** While changes are told, sends one message per period, until `signal` aborts. Never rejects. */
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
