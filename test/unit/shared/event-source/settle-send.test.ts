// The handling of a queue's answer to a batch by an event source.
import { describe, expect, it } from 'vitest';
import { settleSend } from '../../../../shared/event-source/settle-send.ts';
import { refusedSends, sentMessages } from '../../../../shared/event-source/source-metrics.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import type { SendOutcome } from '../../../../shared/workqueue/port.ts';
import { SendValidationError } from '../../../../shared/workqueue/send-limits.ts';
import { aRecordingLog } from '../../../support/kernel.ts';

const accepted: SendOutcome = { ok: true };
const throttled = new Error('Throttled');
const queue = 'work-cluster.fifo';

describe('the answers of a queue', () => {
  it.each([
    { outcomes: [accepted, accepted], sent: 2, refused: [], dropped: 0, reason: 'all accepted' },
    {
      outcomes: [accepted, { ok: false, error: throttled }],
      sent: 1,
      refused: [{ item: 'b', error: throttled }],
      dropped: 0,
      reason: 'a refused message is sent again',
    },
    {
      outcomes: [{ ok: false, error: new SendValidationError('body is empty') }, accepted],
      sent: 1,
      refused: [],
      dropped: 1,
      reason: 'a message that no queue can accept is dropped, and only that one',
    },
    {
      outcomes: [accepted],
      sent: 1,
      refused: [{ item: 'b', error: new Error('The sender returned no result for this message') }],
      dropped: 0,
      reason: 'a missing answer is not an acceptance',
    },
  ])('are counted and sorted: $reason', ({ outcomes, sent, refused, dropped }) => {
    const metrics = createMetricsRegistry();
    const log = aRecordingLog();
    expect(settleSend(['a', 'b'], outcomes, { queue, metrics, log })).toEqual({ sent, refused });
    const dropping = {
      level: 'error',
      message: 'Dropping a message that no queue can accept',
      error: 'body is empty',
      queue,
    };
    expect(log.lines).toEqual(Array.from({ length: dropped }, () => dropping));
    const counts = Object.fromEntries(metrics.snapshot().map(({ name, count }) => [name, count]));
    expect([counts[sentMessages] ?? 0, counts[refusedSends] ?? 0]).toEqual([sent, 2 - sent]);
  });
});
