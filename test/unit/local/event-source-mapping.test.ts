import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EventSourceMapping,
  type EventSourceMappingOptions,
  startEventSourceMapping,
} from '../../../local/event-source-mapping.ts';
import { type InvocationFact, invocations } from '../../../shared/diagnostics/channels.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { MemoryQueues } from '../../support/memory-queues/queues.ts';
import { SteppedClock, settled } from '../../support/stepped-clock.ts';

const fifo = 'work-cluster.fifo';
const standard = 'delay';
const visibilityTimeoutSeconds = 180;
const timeoutSeconds = 30;
type Handler = EventSourceMappingOptions['target']['handler'];

let clock: SteppedClock;
let queues: MemoryQueues;
let log: ReturnType<typeof aRecordingLog>;
let mappings: EventSourceMapping[];

beforeEach(() => {
  clock = new SteppedClock();
  log = aRecordingLog();
  mappings = [];
  queues = new MemoryQueues({
    clock,
    queues: [
      { name: fifo, visibilityTimeoutSeconds },
      { name: standard, visibilityTimeoutSeconds },
    ],
  });
});

afterEach(async () => {
  const stopping = Promise.all(mappings.map(mapping => mapping.stop()));
  await clock.advance(timeoutSeconds * 1000);
  await stopping;
});

function serve(handler: Handler, options: Partial<EventSourceMappingOptions> = {}): EventSourceMapping {
  const target = { name: 'cluster', timeoutSeconds, handler };
  const mapping = startEventSourceMapping({ queue: fifo, batchSize: 10, queues, target, clock, log, ...options });
  mappings.push(mapping);
  return mapping;
}

async function send(...bodies: readonly string[]): Promise<void> {
  const messages = bodies.map(body => ({ body, groupId: body.slice(0, 1), deduplicationId: body }));
  await queues.send(fifo, messages);
  await settled();
}

const left = (): readonly string[] => queues.messages(fifo).map(({ body }) => body);
const throws = (): never => {
  throw new Error('broken');
};
const bodiesOf = ({ Records }: SQSEvent): readonly string[] => Records.map(({ body }) => body);

describe('a local event source mapping', () => {
  it('passes messages as Lambda does', async () => {
    const events: SQSEvent[] = [];
    serve(event => void events.push(event));
    await send('a1');
    const sentAt = String(clock.now());
    expect(events).toEqual([
      {
        Records: [
          {
            messageId: 'work-cluster.fifo#1',
            receiptHandle: expect.any(String),
            body: 'a1',
            attributes: {
              ApproximateReceiveCount: '1',
              SentTimestamp: sentAt,
              SenderId: '000000000000',
              ApproximateFirstReceiveTimestamp: sentAt,
              MessageGroupId: 'a',
              MessageDeduplicationId: 'a1',
            },
            messageAttributes: {},
            md5OfBody: '8a8bb7cd343aa2ad99b7d762030857a2',
            eventSource: 'aws:sqs',
            eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:work-cluster.fifo',
            awsRegion: 'us-east-1',
          },
        ],
      },
    ]);
  });

  it('serves a standard queue, whose messages have no group', async () => {
    const events: SQSEvent[] = [];
    serve(event => void events.push(event), { queue: standard });
    await queues.send(standard, [{ body: 'x' }]);
    await settled();
    expect(events[0]?.Records[0]?.attributes).not.toHaveProperty('MessageGroupId');
    expect(queues.messages(standard)).toEqual([]);
  });

  it.each([undefined, null, {}, { batchItemFailures: [] }, { batchItemFailures: null }])(
    'deletes the batch after the answer %j',
    async response => {
      serve(async () => response);
      await send('a1', 'b1');
      expect(left()).toEqual([]);
      expect(log.lines).toEqual([]);
    },
  );

  it('deletes all messages but the reported ones', async () => {
    serve(async ({ Records }) => ({
      batchItemFailures: Records.filter(({ body }) => body === 'b1').map(r => ({ itemIdentifier: r.messageId })),
    }));
    await send('a1', 'b1', 'c1');
    expect(left()).toEqual(['b1']);
  });

  it.each([
    { handler: () => Promise.reject(new Error('broken')), reason: 'a rejection' },
    { handler: throws, reason: 'a throw' },
    { handler: async () => 'fine', reason: 'an answer that is not an object' },
    { handler: async () => ({ batchItemFailures: 'm1' }), reason: 'failures that are not a list' },
    { handler: async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] }), reason: 'an unknown message' },
    { handler: async () => ({ batchItemFailures: [{ itemIdentifier: null }] }), reason: 'a failure without id' },
    { handler: async () => ({ batchItemFailures: [{ id: 'work-cluster.fifo#1' }] }), reason: 'a misspelt key' },
  ])('keeps the whole batch after $reason, until its visibility timeout ends', async ({ handler }) => {
    const calls: (readonly string[])[] = [];
    serve(event => {
      calls.push(bodiesOf(event));
      return calls.length === 1 ? handler() : undefined;
    });
    await send('a1', 'b1');
    expect(left()).toEqual(['a1', 'b1']);
    expect(log.lines).toMatchObject([{ level: 'error', function: 'cluster', messages: 2 }]);
    await clock.advance(visibilityTimeoutSeconds * 1000 - 1);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toEqual([
      ['a1', 'b1'],
      ['a1', 'b1'],
    ]);
    expect(left()).toEqual([]);
  });
});

describe('the time of an invocation', () => {
  it('counts down to the deadline, in a full context', async () => {
    const contexts: Context[] = [];
    serve(async (_, context) => {
      contexts.push(context);
      await clock.sleep(12_000);
      contexts.push({ ...context, memoryLimitInMB: String(context.getRemainingTimeInMillis()) });
    });
    await send('a1');
    expect(contexts[0]).toMatchObject({
      functionName: 'cluster',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:cluster',
      logGroupName: '/aws/lambda/cluster',
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(contexts[0]?.getRemainingTimeInMillis()).toBe(30_000);
    await clock.advance(12_000);
    expect(contexts[1]?.memoryLimitInMB).toBe('18000');
    expect(() => contexts[0]?.done()).toThrow('no callbacks');
  });

  it('ends at the timeout: the batch has failed, and a later result is ignored', async () => {
    let late = false;
    const mapping = serve(async () => {
      await clock.sleep(40_000);
      late = true;
    });
    await send('a1');
    await clock.advance(29_999);
    expect(mapping.running).toBe(1);
    await clock.advance(1);
    expect(mapping.running).toBe(0);
    await clock.advance(10_000);
    expect([late, left()]).toEqual([true, ['a1']]);
    expect(log.lines).toMatchObject([{ error: 'Function "cluster" did not settle within 30 s' }]);
  });

  it('clears its timer when the handler is quick', async () => {
    serve(async () => undefined);
    await send('a1');
    expect(clock.sleepers).toBe(1); // the sleeper is the long poll
  });
});

describe('concurrency', () => {
  it('never exceeds the maximum', async () => {
    let running = 0;
    const seen: number[] = [];
    const handler: Handler = async () => {
      running += 1;
      seen.push(running);
      await clock.sleep(1000);
      running -= 1;
    };
    serve(handler, { maximumConcurrency: 2, batchSize: 1 });
    await send('a1', 'b1', 'c1', 'd1', 'e1');
    await clock.advance(3000);
    expect(seen).toEqual([1, 2, 2, 2, 2]);
    expect(left()).toEqual([]);
  });

  it('never covers two batches of one group', async () => {
    const log: string[] = [];
    const handler: Handler = async event => {
      log.push(`start ${bodiesOf(event)}`);
      await clock.sleep(1000);
      log.push(`end ${bodiesOf(event)}`);
    };
    serve(handler, { batchSize: 1 });
    await send('a1', 'a2', 'b1');
    await clock.advance(2000);
    expect(log.filter(line => line.includes(' a'))).toEqual(['start a1', 'end a1', 'start a2', 'end a2']);
  });
});

describe('stopping', () => {
  it('ends the long poll at once when nothing is in work', async () => {
    await serve(async () => undefined).stop();
    await send('a1');
    expect(left()).toEqual(['a1']);
  });

  it('finishes the current batch and starts no other', async () => {
    const handler: Handler = () => clock.sleep(1000);
    const mapping = serve(handler, { batchSize: 1, maximumConcurrency: 1 });
    await send('a1', 'b1');
    let stopped = false;
    const stopping = mapping.stop().then(() => {
      stopped = true;
    });
    await clock.advance(999);
    expect([stopped, mapping.running]).toEqual([false, 1]);
    await clock.advance(1);
    await stopping;
    expect([left(), mapping.running]).toEqual([['b1'], 0]);
  });

  it('waits no longer than the timeout for a handler that hangs', async () => {
    const mapping = serve(() => new Promise(() => {}));
    await send('a1');
    const stopping = mapping.stop();
    await clock.advance(timeoutSeconds * 1000);
    await stopping;
    expect(left()).toEqual(['a1']);
  });
});

describe('a queue that fails', () => {
  it('is polled again after growing delays, and after the shortest once it has answered', async () => {
    const start = clock.now();
    const tries: number[] = [];
    const receive: MemoryQueues['receive'] = async (queue, options) => {
      tries.push(clock.now() - start);
      if (tries.length === 10) {
        return queues.receive(queue, { ...options, waitSeconds: 0 });
      }
      throw new Error('queue is down');
    };
    serve(async () => undefined, { queues: { receive, delete: async () => {} } });
    await clock.advance(40_000);
    const gaps = tries.slice(1).map((at, n) => at - (tries[n] ?? 0));
    expect(gaps.slice(0, 11)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 0, 100]);
    expect(log.lines[0]).toMatchObject({ level: 'error', queue: fifo, gapMs: 100, error: 'queue is down' });
  });

  it('does not stop the mapping when a delete fails: the messages become visible again', async () => {
    const receive = queues.receive.bind(queues);
    let calls = 0;
    const handler: Handler = async () => {
      calls += 1;
    };
    serve(handler, { queues: { receive, delete: () => Promise.reject(new Error('down')) } });
    await send('a1');
    await clock.advance(visibilityTimeoutSeconds * 1000);
    expect(calls).toBe(2);
    expect(log.lines).toContainEqual(expect.objectContaining({ message: 'Deleting served messages failed' }));
  });
});

describe('invocation facts', () => {
  it('report the served and failed messages of each invocation', async () => {
    const facts: unknown[] = [];
    const keep = (fact: unknown): void => void facts.push(fact);
    subscribe(invocations.name, keep);
    serve(async ({ Records }) => ({ batchItemFailures: [{ itemIdentifier: Records[0]?.messageId }] }));
    await send('a1', 'b1');
    unsubscribe(invocations.name, keep);
    const fact: Partial<InvocationFact> = { functionName: 'cluster', messages: 2, failures: 1 };
    expect(facts).toMatchObject([fact]);
  });
});
