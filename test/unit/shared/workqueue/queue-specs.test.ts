import { describe, expect, it } from 'vitest';
import { deadLetterQueueOf, isFifo, workQueueOf } from '../../../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../../../shared/workqueue/queue-specs.ts';

describe('queue names', () => {
  it('keep the FIFO suffix last', () => {
    expect(workQueueOf('cluster')).toBe('work-cluster.fifo');
    expect(deadLetterQueueOf('work-cluster.fifo')).toBe('work-cluster-dlq.fifo');
    expect(deadLetterQueueOf('delay')).toBe('delay-dlq');
    expect([isFifo('work-cluster.fifo'), isFifo('delay')]).toEqual([true, false]);
  });
});

describe('queue specs', () => {
  const specs = toQueueSpecs(toConsumers([{ name: 'cluster', timeoutSeconds: 30 }]));

  it('define a queue and its dead-letter queue for each reconciler, for delays and for expansions', () => {
    expect(specs.map(({ name }) => name)).toEqual([
      'work-cluster-dlq.fifo',
      'work-cluster.fifo',
      'delay-dlq',
      'delay',
      'expand-dlq',
      'expand',
    ]);
  });

  it('hide a message for six function timeouts and redrive it after five receives', () => {
    expect(specs.find(({ name }) => name === 'work-cluster.fifo')).toEqual({
      name: 'work-cluster.fifo',
      fifo: true,
      visibilityTimeoutSeconds: 180,
      retentionSeconds: 4 * 86_400,
      redrive: { deadLetterQueue: 'work-cluster-dlq.fifo', maxReceiveCount: 5 },
    });
  });

  it('allow more receives of delayed requests, and never redrive a dead letter', () => {
    expect(specs.find(({ name }) => name === 'delay')?.redrive?.maxReceiveCount).toBe(10);
    expect(specs.filter(({ name }) => name.includes('-dlq')).every(({ redrive }) => redrive === undefined)).toBe(true);
  });

  it('list every dead-letter queue before the queue that needs it', () => {
    const seen = new Set<string>();
    for (const { name, redrive } of specs) {
      expect(redrive === undefined || seen.has(redrive.deadLetterQueue)).toBe(true);
      seen.add(name);
    }
  });
});
