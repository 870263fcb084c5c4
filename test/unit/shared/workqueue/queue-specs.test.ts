import { describe, expect, it } from 'vitest';
import { deadLetterQueueOf, findActualQueue, isFifo, workQueueOf } from '../../../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../../../shared/workqueue/queue-specs.ts';

describe('queue names', () => {
  it('keep the FIFO suffix last', () => {
    expect(workQueueOf('cluster')).toBe('work-cluster.fifo');
    expect(deadLetterQueueOf('work-cluster.fifo')).toBe('work-cluster-dlq.fifo');
    expect(deadLetterQueueOf('delay')).toBe('delay-dlq');
    expect([isFifo('work-cluster.fifo'), isFifo('delay')]).toEqual([true, false]);
  });

  const separate = { 'work-cluster.fifo': 1, 'work-cluster-dlq.fifo': 1, delay: 1 };
  const shared = { 'work.fifo': 1, 'work-dlq.fifo': 1, delay: 1 };

  it.each([
    { queue: 'work-cluster.fifo', queues: separate, actual: 'work-cluster.fifo', reason: 'a queue of its own' },
    { queue: 'work-cluster.fifo', queues: shared, actual: 'work.fifo', reason: 'the shared work queue' },
    { queue: 'work-topology.fifo', queues: separate, actual: undefined, reason: 'a reconciler that does not run' },
    { queue: 'work-cluster.fifo', queues: { ...separate, ...shared }, actual: 'work-cluster.fifo', reason: 'both' },
    { queue: 'delay', queues: shared, actual: 'delay', reason: 'another queue' },
    { queue: 'expand', queues: shared, actual: undefined, reason: 'no work queue' },
    { queue: 'work-cluster', queues: shared, actual: undefined, reason: 'no FIFO queue' },
    { queue: 'other-cluster.fifo', queues: shared, actual: undefined, reason: 'a FIFO queue of another kind' },
    { queue: 'work-cluster-dlq.fifo', queues: shared, actual: undefined, reason: 'a dead-letter queue' },
  ])('find the actual queue of $queue: $reason', ({ queue, queues, actual }) => {
    expect(findActualQueue(queue, queues)).toBe(actual);
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

  it('hide a message for a fifth of a quarter of an hour and redrive it after five receives', () => {
    expect(specs.find(({ name }) => name === 'work-cluster.fifo')).toEqual({
      name: 'work-cluster.fifo',
      fifo: true,
      visibilityTimeoutSeconds: 180,
      retentionSeconds: 4 * 86_400,
      redrive: { deadLetterQueue: 'work-cluster-dlq.fifo', maxReceiveCount: 5 },
    });
  });

  it('have the batch size of the declaration, which is ten by default', () => {
    const consumers = toConsumers([
      { name: 'cluster', timeoutSeconds: 30 },
      { name: 'topology', timeoutSeconds: 30, batchSize: 1 },
    ]);
    expect(consumers.map(({ queue, batchSize }) => [queue, batchSize])).toEqual([
      ['work-cluster.fifo', 10],
      ['work-topology.fifo', 1],
      ['delay', 10],
      ['expand', 10],
    ]);
  });

  it('allow more receives of delayed requests, and never redrive a dead letter', () => {
    expect(specs.find(({ name }) => name === 'delay')?.redrive?.maxReceiveCount).toBe(10);
    expect(specs.filter(({ name }) => name.includes('-dlq')).every(({ redrive }) => redrive === undefined)).toBe(true);
  });

  it.each([
    { timeoutSeconds: 1, work: 180, delay: 105, reason: 'the time to a dead letter does not depend on the timeout' },
    { timeoutSeconds: 105, work: 180, delay: 105, reason: 'the longest timeout for which this holds' },
    { timeoutSeconds: 106, work: 181, delay: 105, reason: 'a delivery must end after a death' },
    { timeoutSeconds: 900, work: 975, delay: 105, reason: 'Lambda requires the timeout' },
  ])('hide messages of a function with $timeoutSeconds s for $work s: $reason', ({ timeoutSeconds, work, delay }) => {
    const found = toQueueSpecs(toConsumers([{ name: 'a', timeoutSeconds }]));
    const secondsOf = (queue: string) => found.find(({ name }) => name === queue)?.visibilityTimeoutSeconds;
    expect([secondsOf('work-a.fifo'), secondsOf('delay'), secondsOf('expand')]).toEqual([work, delay, 195]);
  });

  it('list every dead-letter queue before the queue that needs it', () => {
    const seen = new Set<string>();
    for (const { name, redrive } of specs) {
      expect(redrive === undefined || seen.has(redrive.deadLetterQueue)).toBe(true);
      seen.add(name);
    }
  });
});

describe('queue specs of reconcilers that share a queue', () => {
  const declared = [
    { name: 'cluster', timeoutSeconds: 30 },
    { name: 'topology', timeoutSeconds: 120 },
    { name: 'machine', timeoutSeconds: 60 },
  ];

  it('have batches of one message', () => {
    expect(toConsumers(declared, 'compact').map(({ queue, batchSize }) => [queue, batchSize])).toEqual([
      ['work.fifo', 1],
      ['delay', 10],
      ['expand', 10],
    ]);
  });

  it('do not depend on the number of reconcilers, and follow the longest timeout', () => {
    const specs = toQueueSpecs(toConsumers(declared, 'compact'));
    expect(specs.map(({ name }) => name)).toEqual([
      'work-dlq.fifo',
      'work.fifo',
      'delay-dlq',
      'delay',
      'expand-dlq',
      'expand',
    ]);
    expect(specs.find(({ name }) => name === 'work.fifo')).toEqual({
      name: 'work.fifo',
      fifo: true,
      visibilityTimeoutSeconds: 195,
      retentionSeconds: 4 * 86_400,
      redrive: { deadLetterQueue: 'work-dlq.fifo', maxReceiveCount: 5 },
    });
  });
});
