import { describe, expect, it } from 'vitest';
import { mostWaiting, reportQueueDepths } from '../../../../functions/resync/report-queue-depths.ts';
import { deadLetters, waitingMessages } from '../../../../shared/kernel/metrics.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
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
  await reportQueueDepths({ queues: { depth }, known: Object.keys(depths), metrics, log });
  return { values: metrics.snapshot().map(({ name, labels, sum }) => [name, labels['queue'], sum]), log };
}

describe('dead letters', () => {
  it('are counted per queue, with those in flight and delayed', async () => {
    const { values } = await look({
      'work-cluster-dlq.fifo': { visible: 2, inFlight: 1 },
      'delay-dlq': { visible: 1 },
    });
    expect(values).toEqual([
      [deadLetters, 'work-cluster-dlq.fifo', 3],
      [deadLetters, 'delay-dlq', 1],
    ]);
  });

  it('write no metric for empty queues', async () => {
    expect((await look({ 'work-cluster-dlq.fifo': {} })).values).toEqual([]);
  });
});

describe('unserved messages', () => {
  it.each([
    { depth: { visible: mostWaiting + 1 }, reported: mostWaiting + 1, reason: 'a served queue never holds as many' },
    { depth: { visible: mostWaiting }, reported: undefined, reason: 'a few messages may arrive at any moment' },
    { depth: { inFlight: 200 }, reported: undefined, reason: 'they are in flight' },
    { depth: { delayed: 5_000 }, reported: undefined, reason: 'they are delayed' },
  ])('are reported as $reported: $reason', async ({ depth, reported }) => {
    const { values } = await look({ delay: depth });
    expect(values).toEqual(reported === undefined ? [] : [[waitingMessages, 'delay', reported]]);
  });
});

it('a queue whose depth cannot be read is logged, and the other queues are reported', async () => {
  const { values, log } = await look({ 'expand-dlq': new Error('denied'), 'delay-dlq': { visible: 1 } });
  expect(values).toEqual([[deadLetters, 'delay-dlq', 1]]);
  expect(log.lines).toContainEqual(
    expect.objectContaining({ message: 'Reading the depth of a queue failed', error: 'denied', queue: 'expand-dlq' }),
  );
});
