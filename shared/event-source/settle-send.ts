// Handles the answers of a queue to a batch of messages, for every event source.

import type { Log } from '@capi-serverless/reconciler';
import type { Metrics } from '../kernel/metrics.ts';
import type { QueueName, SendOutcome } from '../workqueue/port.ts';
import { SendValidationError } from '../workqueue/send-limits.ts';
import { refusedSends, sentMessages } from './source-metrics.ts';

interface SettleOptions {
  readonly queue: QueueName;
  readonly metrics: Metrics;
  readonly log: Log;
}

interface Settled<Item> {
  /** The number of messages that the queue accepted. */
  readonly sent: number;
  /** The items that must be sent again, with the errors. */
  readonly refused: readonly { readonly item: Item; readonly error: Error }[];
}

/**
 * Counts the outcomes. `outcomes[n]` is the answer to `items[n]`. A message that no queue can accept is logged and
 * dropped, because another attempt fails in the same way. A missing outcome is treated as refused.
 */
export function settleSend<Item>(
  items: readonly Item[],
  outcomes: readonly SendOutcome[],
  { queue, metrics, log }: SettleOptions,
): Settled<Item> {
  const refused: { readonly item: Item; readonly error: Error }[] = [];
  let sent = 0;
  for (const [index, item] of items.entries()) {
    const outcome = outcomes[index] ?? missing;
    metrics.count(outcome.ok ? sentMessages : refusedSends, { queue });
    if (outcome.ok) {
      sent += 1;
    } else if (outcome.error instanceof SendValidationError) {
      log.error('Dropping a message that no queue can accept', outcome.error, { queue });
    } else {
      refused.push({ item, error: outcome.error });
    }
  }
  return { sent, refused };
}

const missing: SendOutcome = { ok: false, error: new Error('The sender returned no result for this message') };
