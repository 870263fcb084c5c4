import { describe, expect, it } from 'vitest';
import { lookIntoQueues, mostWaiting } from '../../../../functions/resync/look-into-queues.ts';
import { deadLetters, waitingMessages } from '../../../../shared/kernel/metrics.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics.ts';
import type { QueueDepth } from '../../../../shared/workqueue/port.ts';
import { aRecordingLog } from '../../../support/kernel.ts';

async function look(depths: Readonly<Record<string, Partial<QueueDepth> | Error>>) {
  const metrics = createMetricsRegistry();
  const log = aRecordingLog();
  const depth = async (queue: string): Promise<QueueDepth> => {
    const found = depths[queue];
    if (found instanceof Error) {
      throw found;
    }
    return { visible: 0, inFlight: 0, delayed: 0, ...found };
  };
  await lookIntoQueues({ queues: { depth }, known: Object.keys(depths), metrics, log });
  return { values: metrics.snapshot().map(({ name, labels, sum }) => [name, labels['queue'], sum]), log };
}

describe('dead letters', () => {
  it('are counted by queue, whoever looks at them just now', async () => {
    const { values } = await look({
      'work-cluster-dlq.fifo': { visible: 2, inFlight: 1 },
      'delay-dlq': { visible: 1 },
    });
    expect(values).toEqual([
      [deadLetters, 'work-cluster-dlq.fifo', 3],
      [deadLetters, 'delay-dlq', 1],
    ]);
  });

  it('are not told of where there are none', async () => {
    expect((await look({ 'work-cluster-dlq.fifo': {} })).values).toEqual([]);
  });
});

describe('messages that nobody serves', () => {
  it.each([
    { depth: { visible: mostWaiting + 1 }, told: mostWaiting + 1, reason: 'so many wait in no queue that is served' },
    { depth: { visible: mostWaiting }, told: undefined, reason: 'a few may come in at any moment' },
    { depth: { inFlight: 200 }, told: undefined, reason: 'they are being served' },
    { depth: { delayed: 5_000 }, told: undefined, reason: 'they are held back on purpose' },
  ])('are told of as $told where $reason', async ({ depth, told }) => {
    const { values } = await look({ delay: depth });
    expect(values).toEqual(told === undefined ? [] : [[waitingMessages, 'delay', told]]);
  });
});

it('a queue that cannot be asked is logged, and the others are looked into', async () => {
  const { values, log } = await look({ 'expand-dlq': new Error('denied'), 'delay-dlq': { visible: 1 } });
  expect(values).toEqual([[deadLetters, 'delay-dlq', 1]]);
  expect(log.lines).toContainEqual(
    expect.objectContaining({ message: 'Looking into a queue failed', error: 'denied', queue: 'expand-dlq' }),
  );
});
