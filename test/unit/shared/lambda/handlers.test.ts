import type { SQSBatchResponse, SQSEvent, SQSRecordAttributes } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Batch } from '../../../../shared/lambda/event-parsing.ts';
import {
  eventHandler,
  type SqsBatchOptions,
  scheduledHandler,
  sqsBatchHandler,
} from '../../../../shared/lambda/handlers.ts';
import type { Invocation } from '../../../../shared/lambda/invocation.ts';
import { createMetricsRegistry } from '../../../../shared/telemetry/metrics-registry.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { aContext, anSqsEvent, anSqsRecord } from '../../../support/lambda-events.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

let clock: SteppedClock;
let log: ReturnType<typeof aRecordingLog>;
let metrics: ReturnType<typeof createMetricsRegistry>;
let served: Batch[];

beforeEach(() => {
  clock = new SteppedClock();
  log = aRecordingLog();
  metrics = createMetricsRegistry();
  served = [];
});

function run(
  event: unknown,
  options: Partial<SqsBatchOptions> = {},
  context = aContext(clock),
): Promise<SQSBatchResponse> {
  const serve = async (batch: Batch): Promise<readonly string[]> => {
    served.push(batch);
    return [];
  };
  return sqsBatchHandler({ functionName: 'cluster', log, clock, metrics, serve, ...options })(event, context);
}

const twoMessages: SQSEvent = anSqsEvent(
  anSqsRecord(),
  anSqsRecord({ messageId: 'm2', receiptHandle: 'handle-of-m2', body: 'second' }),
);

describe('a handler behind a queue', () => {
  it('receives the messages and the name of their queue', async () => {
    const attributes = { ...anSqsRecord().attributes, ApproximateReceiveCount: '3' };
    await run(anSqsEvent(anSqsRecord({ body: '{"v":1}', attributes })));
    const message = {
      messageId: 'm1',
      receiptHandle: 'handle-of-m1',
      body: '{"v":1}',
      receiveCount: 3,
      sentAtMs: 1_767_225_600_000,
      firstReceivedAtMs: 1_767_225_600_000,
      groupId: 'group',
    };
    expect(served).toEqual([{ queue: 'work-cluster.fifo', messages: [message] }]);
  });

  it('sets no group for messages of a standard queue', async () => {
    const { MessageGroupId: _, ...attributes } = anSqsRecord().attributes;
    await run(anSqsEvent(anSqsRecord({ attributes })));
    expect(served[0]?.messages[0]).not.toHaveProperty('groupId');
  });

  it('acknowledges all messages but the failed ones', async () => {
    expect(await run(twoMessages)).toEqual({ batchItemFailures: [] });
    expect(await run(twoMessages, { serve: async () => ['m2', 'm2'] })).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm2' }],
    });
  });

  it('reports an unreadable record, counts it and serves the others', async () => {
    const unreadable = { ...anSqsRecord({ messageId: 'bad' }), body: 7 };
    const response = await run({ Records: [unreadable, anSqsRecord()] });
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
    expect(served[0]?.messages.map(({ messageId }) => messageId)).toEqual(['m1']);
    expect(metrics.snapshot()).toContainEqual(
      expect.objectContaining({ labels: { controller: 'cluster', reason: 'unreadable' }, count: 1 }),
    );
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', messageId: 'bad' }));
  });

  it.each([{}, { Records: [] }, { Records: [{ body: 'no id' }] }, null])(
    'fails on an event without messages: %j',
    async event => {
      await expect(run(event)).rejects.toThrow(
        'Function "cluster" was called with an event that holds no queue messages',
      );
      expect(served).toEqual([]);
    },
  );

  it('fails the whole batch when the work throws, and logs it once', async () => {
    const broken = new Error('broken');
    await expect(run(twoMessages, { serve: () => Promise.reject(broken) })).rejects.toBe(broken);
    const errors = log.lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([{ message: 'Serving an invocation failed', requestId: 'request-1', messages: 2 }]);
  });

  it('logs the duration of a successful invocation only at level debug', async () => {
    const serve = async (): Promise<readonly string[]> => {
      await clock.sleep(250);
      return [];
    };
    const running = run(twoMessages, { serve });
    await clock.advance(250);
    await running;
    expect(log.lines).toMatchObject([{ level: 'debug', ms: 250, messages: 2, requestId: 'request-1' }]);
  });

  it('keeps concurrent invocations of one instance apart', async () => {
    const handler = sqsBatchHandler({
      functionName: 'cluster',
      log,
      clock,
      metrics,
      serve: async ({ messages }) => {
        await clock.sleep(messages[0]?.messageId === 'slow' ? 20 : 10);
        return messages.map(({ messageId }) => messageId);
      },
    });
    const both = ['slow', 'fast'].map(messageId => handler(anSqsEvent(anSqsRecord({ messageId })), aContext(clock)));
    await clock.advance(20);
    expect((await Promise.all(both)).map(response => response.batchItemFailures[0]?.itemIdentifier)).toEqual([
      'slow',
      'fast',
    ]);
  });
});

describe('the metrics of a handler', () => {
  const { SentTimestamp: _, ...unsent } = anSqsRecord().attributes;
  const sentAt = (ms: number) => ({ ...unsent, SentTimestamp: String(ms) });
  const toSum = (name: string) => metrics.snapshot().find(value => value.name === name);

  it('count each received message, and how long it waited', async () => {
    const now = clock.now();
    await run(
      anSqsEvent(
        anSqsRecord({ attributes: sentAt(now - 1_500) }),
        anSqsRecord({ attributes: sentAt(now + 700) }),
        anSqsRecord({ attributes: unsent as SQSRecordAttributes } /* attributes that a queue may omit */),
        anSqsRecord({ attributes: { ...unsent, SentTimestamp: 'yesterday' } }),
      ),
    );
    expect(toSum('workqueue_adds_total')).toMatchObject({ labels: { name: 'cluster' }, count: 4 });
    expect(served[0]?.messages).toHaveLength(4);
    expect(toSum('workqueue_queue_duration_seconds')).toMatchObject({ count: 2, sum: 1.5 });
  });

  it.each([
    { serve: async () => [], reason: 'served' },
    { serve: () => Promise.reject(new Error('broken')), reason: 'failed' },
  ])('are published at the end of an invocation that $reason', async ({ serve }) => {
    let flushed = 0;
    const flush = async (): Promise<void> => {
      await clock.sleep(10);
      flushed += 1;
    };
    const running = run(twoMessages, { serve, flush }).catch(() => undefined);
    await clock.advance(10);
    await running;
    expect(flushed).toBe(1);
  });
});

describe('the deadline', () => {
  const untilAborted =
    (seen: { at?: number }) =>
    async (_: Batch, { signal }: Invocation) => {
      await clock.sleep(60_000, signal);
      seen.at = clock.now();
      return ['m1'];
    };

  it('aborts the work a second before the timeout, and still responds', async () => {
    const seen: { at?: number } = {};
    const start = clock.now();
    const running = run(twoMessages, { serve: untilAborted(seen) });
    await clock.advance(29_000);
    expect(await running).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(seen.at).toBe(start + 29_000);
  });

  it('aborts immediately if less than a second is left', async () => {
    const seen: { at?: number } = {};
    const start = clock.now();
    const running = run(twoMessages, { serve: untilAborted(seen) }, aContext(clock, 0.5));
    await clock.advance(0);
    await running;
    expect(seen.at).toBe(start);
  });

  it.each([
    { serve: async () => [], reason: 'ends' },
    { serve: () => Promise.reject(new Error('broken')), reason: 'throws' },
  ])('clears its timer if the work $reason, and never aborts it later', async ({ serve }) => {
    let signal: AbortSignal | undefined;
    const running = run(twoMessages, {
      serve: (_, invocation) => {
        signal = invocation.signal;
        return serve();
      },
    });
    await running.catch(() => {});
    expect(clock.sleepers).toBe(0);
    await clock.advance(60_000);
    expect(signal?.aborted).toBe(false);
  });
});

describe('the lease of a batch', () => {
  const handles = ['handle-of-m1', 'handle-of-m2'];
  let changes: unknown[];
  const queues = {
    changeVisibility: async (...change: readonly unknown[]): Promise<void> => void changes.push(change),
  };

  beforeEach(() => {
    changes = [];
  });

  it('hides its messages while the work runs, and not after it', async () => {
    const serve = async (): Promise<readonly string[]> => {
      await clock.sleep(50_000);
      return [];
    };
    const running = run(twoMessages, { queues, serve }, aContext(clock, 60));
    await clock.advance(50_000);
    await running;
    const lease = ['work-cluster.fifo', handles, 45];
    expect(changes).toEqual([lease, lease, lease]);
    expect(clock.sleepers).toBe(0);
  });

  it('ends soon for the messages that the work gives back', async () => {
    await run(twoMessages, { queues, serve: async () => ['m2'] });
    expect(changes.slice(1)).toEqual([['work-cluster.fifo', ['handle-of-m2'], 10]]);
  });

  it('ends soon for all messages if the work fails', async () => {
    const running = run(twoMessages, { queues, serve: () => Promise.reject(new Error('broken')) });
    await expect(running).rejects.toThrow('broken');
    expect(changes.slice(1)).toEqual([['work-cluster.fifo', handles, 10]]);
  });

  it('is settled before the handler is, even when the work fails', async () => {
    let calls = 0;
    const changeVisibility = async (): Promise<void> => {
      await clock.sleep(100);
      calls += 1;
    };
    const running = run(twoMessages, {
      queues: { changeVisibility },
      serve: () => Promise.reject(new Error('broken')),
    });
    const ended = running.catch(() => calls);
    await clock.advance(200);
    expect(await ended).toBe(2);
  });

  it('does not exist if no message could be read', async () => {
    await run({ Records: [{ messageId: 'bad' }] }, { queues });
    await expect(run({ Records: [] }, { queues })).rejects.toThrow('holds no queue messages');
    expect(changes).toEqual([]);
  });

  it('is renewed sooner after a renewal that failed', async () => {
    const times: number[] = [];
    const start = clock.now();
    const changeVisibility = async (): Promise<void> => {
      times.push((clock.now() - start) / 1000);
      if (times.length === 2) {
        throw new Error('refused');
      }
    };
    const serve = async (): Promise<readonly string[]> => {
      await clock.sleep(40_000);
      return [];
    };
    const running = run(twoMessages, { queues: { changeVisibility }, serve }, aContext(clock, 60));
    await clock.advance(40_000);
    await running;
    expect(times).toEqual([0, 20, 25]);
  });

  it('may fail without failing the work', async () => {
    const changeVisibility = () => Promise.reject(new Error('refused'));
    expect(await run(twoMessages, { queues: { changeVisibility } })).toEqual({ batchItemFailures: [] });
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', queue: 'work-cluster.fifo' }));
  });
});

describe('a handler behind a schedule', () => {
  it('runs the work with a deadline', async () => {
    const aborts: boolean[] = [];
    const serve = async ({ signal }: Invocation): Promise<void> => {
      await clock.sleep(60_000, signal);
      aborts.push(signal.aborted);
    };
    const running = scheduledHandler({ functionName: 'resync', log, clock, serve })({}, aContext(clock));
    await clock.advance(29_000);
    expect(await running).toBeUndefined();
    expect(aborts).toEqual([true]);
  });

  it('fails when the work throws', async () => {
    const serve = () => Promise.reject(new Error('broken'));
    const handler = scheduledHandler({ functionName: 'resync', log, clock, serve });
    await expect(handler({}, aContext(clock))).rejects.toThrow('broken');
    expect(log.lines).toMatchObject([{ level: 'error', message: 'Serving an invocation failed' }]);
  });
});

describe('an event of any shape', () => {
  it('is passed to the work unchanged, and so is the response', async () => {
    const seen: unknown[] = [];
    const serve = async (event: unknown) => {
      seen.push(event);
      return { statusCode: 200 };
    };
    const handler = eventHandler({ functionName: 'url', log, clock, serve });
    expect(await handler({ body: 'x' }, aContext(clock))).toEqual({ statusCode: 200 });
    expect(seen).toEqual([{ body: 'x' }]);
  });
});
