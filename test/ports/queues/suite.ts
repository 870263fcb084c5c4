// What every adapter of the queue port must do, as SQS documents it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SendValidationError } from '../../../shared/workqueue/limits.ts';
import type { OutgoingMessage, QueueName, Queues, ReceivedMessage } from '../../../shared/workqueue/port.ts';
import type { QueueSpec } from '../../../shared/workqueue/queue-specs.ts';

/** One fresh set of `suiteQueues`. */
export interface Harness {
  readonly queues: Queues;
  /** Lets virtual time pass; does nothing where time is real and passes by itself. */
  letPass(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** Where a substrate is known to differ from SQS, or cannot show something in reasonable time. */
export interface Traits {
  readonly virtualTime: boolean;
  /** One receive may return several messages of one group. */
  readonly severalOfAGroup: boolean;
}

const retentionSeconds = 86_400;
const fifo: QueueName = 'suite.fifo';
const fifoDeadLetters: QueueName = 'suite-dlq.fifo';
const slowFifo: QueueName = 'suite-slow.fifo';
const shortFifo: QueueName = 'suite-short.fifo';
const standard: QueueName = 'suite';

export const suiteQueues: readonly QueueSpec[] = [
  { name: fifoDeadLetters, fifo: true, visibilityTimeoutSeconds: 30, retentionSeconds },
  {
    name: fifo,
    fifo: true,
    visibilityTimeoutSeconds: 30,
    retentionSeconds,
    redrive: { deadLetterQueue: fifoDeadLetters, maxReceiveCount: 2 },
  },
  { name: slowFifo, fifo: true, visibilityTimeoutSeconds: 30, retentionSeconds, delaySeconds: 1 },
  { name: shortFifo, fifo: true, visibilityTimeoutSeconds: 1, retentionSeconds },
  { name: standard, fifo: false, visibilityTimeoutSeconds: 30, retentionSeconds },
];

export function describeQueues(substrate: string, create: () => Promise<Harness>, traits: Traits): void {
  describe(`queues on ${substrate}`, () => {
    let harness: Harness;
    beforeEach(async () => {
      harness = await create();
    });
    afterEach(() => harness.stop());
    const given = (): Given => new Given(harness);
    sendingAndReceiving(given);
    visibility(given, traits);
    groups(given, traits);
    deduplication(given, traits);
    delays(given);
    redrive(given);
    longPolling(given);
    refusals(given);
  });
}

/** Short forms over one harness. */
class Given {
  readonly queues: Queues;
  readonly letPass: Harness['letPass'];

  constructor({ queues, letPass }: Harness) {
    this.queues = queues;
    this.letPass = letPass;
  }

  async sent(queue: QueueName, ...messages: readonly OutgoingMessage[]): Promise<void> {
    const outcomes = await this.queues.send(queue, messages);
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
  }

  received(queue: QueueName, max = 10): Promise<readonly ReceivedMessage[]> {
    return this.queues.receive(queue, { max, waitSeconds: 0 });
  }

  /** For messages that need up to a second to become visible. */
  async receivedWithinSeconds(queue: QueueName): Promise<readonly ReceivedMessage[]> {
    const receiving = this.queues.receive(queue, { max: 10, waitSeconds: 2 });
    await this.letPass(2000);
    return receiving;
  }

  async bodies(queue: QueueName, max = 10): Promise<readonly string[]> {
    return (await this.received(queue, max)).map(({ body }) => body);
  }

  /** Everything that can be received, acknowledged on the way. */
  async drained(queue: QueueName): Promise<readonly string[]> {
    const bodies: string[] = [];
    for (let batch = await this.received(queue); batch.length > 0; batch = await this.received(queue)) {
      bodies.push(...batch.map(({ body }) => body));
      await this.queues.delete(queue, handlesOf(batch));
    }
    return bodies;
  }
}

type Prepare = () => Given;

let uniqueIds = 0;

function toGroup(groupId: string, body: string, deduplicationId = `unique-${uniqueIds++}`): OutgoingMessage {
  return { body, groupId, deduplicationId };
}

function handlesOf(messages: readonly ReceivedMessage[]): readonly string[] {
  return messages.map(({ receiptHandle }) => receiptHandle);
}

function sendingAndReceiving(given: Prepare): void {
  it('carries body, group and times of a message', async () => {
    const on = given();
    const message = toGroup('a', 'ünïcode', `carried-${uniqueIds++}`);
    await on.sent(fifo, message);
    const [received] = await on.received(fifo);
    expect(received).toMatchObject({
      body: 'ünïcode',
      attributes: { receiveCount: 1, groupId: 'a', deduplicationId: message.deduplicationId },
    });
    expect(received?.messageId).not.toBe('');
    expect(received?.attributes.sentAtMs).toBeGreaterThan(Date.UTC(2025));
    expect(received?.attributes.firstReceivedAtMs).toBeGreaterThanOrEqual(received?.attributes.sentAtMs ?? Infinity);
  });

  it('takes more messages in one call than one batch may hold', async () => {
    const on = given();
    const bodies = Array.from({ length: 25 }, (_, n) => `message ${n}`);
    await on.sent(standard, ...bodies.map(body => ({ body })));
    expect([...(await on.drained(standard))].sort()).toEqual([...bodies].sort());
  });

  it('takes more bytes in one call than one batch may hold', async () => {
    const on = given();
    const large = Array.from({ length: 3 }, (_, n) => ({ body: `${n}`.repeat(600_000) }));
    await on.sent(standard, ...large);
    expect((await on.queues.depth(standard)).visible).toBe(3);
  });

  it('returns at most as many messages as asked for', async () => {
    const on = given();
    await on.sent(standard, { body: 'one' }, { body: 'two' }, { body: 'three' });
    expect(await on.received(standard, 2)).toHaveLength(2);
  });

  it('counts visible, hidden and delayed messages', async () => {
    const on = given();
    await on.sent(standard, { body: 'one' }, { body: 'two' }, { body: 'later', delaySeconds: 900 });
    await on.received(standard, 1);
    expect(await on.queues.depth(standard)).toEqual({ visible: 1, inFlight: 1, delayed: 1 });
  });

  it('accepts an empty list of messages and of handles', async () => {
    const on = given();
    expect(await on.queues.send(fifo, [])).toEqual([]);
    await on.queues.delete(fifo, []);
    await on.queues.changeVisibility(fifo, [], 5);
  });
}

function visibility(given: Prepare, { virtualTime }: Traits): void {
  it('hides a received message and deletes an acknowledged one for good', async () => {
    const on = given();
    await on.sent(standard, { body: 'once' });
    const received = await on.received(standard);
    expect(await on.bodies(standard)).toEqual([]);
    await on.queues.delete(standard, handlesOf(received));
    expect(await on.queues.depth(standard)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('shows a message again at once when its visibility is set to zero', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'again'));
    await on.queues.changeVisibility(fifo, handlesOf(await on.received(fifo)), 0);
    expect(await on.received(fifo)).toMatchObject([{ body: 'again', attributes: { receiveCount: 2 } }]);
  });

  it('shows a message again when its visibility timeout ends', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'again'));
    await on.received(shortFifo);
    expect(await on.receivedWithinSeconds(shortFifo)).toMatchObject([{ body: 'again' }]);
  });

  it('acknowledges and changes more messages in one call than one batch may hold', async () => {
    const on = given();
    await on.sent(standard, ...Array.from({ length: 12 }, (_, n) => ({ body: `${n}` })));
    const handles = handlesOf([...(await on.received(standard)), ...(await on.received(standard))]);
    await on.queues.changeVisibility(standard, handles, 60);
    await on.queues.delete(standard, handles);
    expect(await on.queues.depth(standard)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('ignores the handle of a message that is gone', async () => {
    const on = given();
    await on.sent(standard, { body: 'gone' }, { body: 'stays' });
    const handles = handlesOf(await on.received(standard));
    const gone = handles.slice(0, 1);
    await on.queues.delete(standard, gone);
    await on.queues.delete(standard, gone);
    await on.queues.changeVisibility(standard, gone, 0);
    expect(await on.queues.depth(standard)).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
  });

  it.runIf(virtualTime)('keeps a message hidden as long as its visibility is prolonged', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'long work'));
    await on.queues.changeVisibility(shortFifo, handlesOf(await on.received(shortFifo)), 120);
    await on.letPass(119_000);
    expect(await on.bodies(shortFifo)).toEqual([]);
    await on.letPass(1000);
    expect(await on.bodies(shortFifo)).toEqual(['long work']);
  });
}

function groups(given: Prepare, { severalOfAGroup, virtualTime }: Traits): void {
  it('holds back a group while one of its messages is in flight, and no other group', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'a1'), toGroup('a', 'a2'), toGroup('b', 'b1'));
    const [first] = await on.received(fifo, 1);
    expect(first?.body).toBe('a1');
    expect(await on.bodies(fifo)).toEqual(['b1']);
    await on.queues.delete(fifo, [first?.receiptHandle ?? '']);
    expect(await on.bodies(fifo)).toEqual(['a2']);
  });

  it('delivers a group in the order of sending, across redelivery', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', '1'), toGroup('a', '2'), toGroup('a', '3'));
    await on.queues.changeVisibility(fifo, handlesOf(await on.received(fifo, 1)), 0);
    expect(await on.drained(fifo)).toEqual(['1', '2', '3']);
  });

  it.runIf(severalOfAGroup)('returns several messages of one group at once, in order', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'a1'), toGroup('b', 'b1'), toGroup('a', 'a2'), toGroup('a', 'a3'));
    expect((await on.bodies(fifo)).filter(body => body.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  });

  it.runIf(severalOfAGroup)('holds back a group until the last of several messages is settled', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'a1'), toGroup('a', 'a2'), toGroup('a', 'a3'));
    const [first, second] = await on.received(fifo, 2);
    await on.queues.delete(fifo, [first?.receiptHandle ?? '']);
    expect(await on.bodies(fifo)).toEqual([]);
    await on.queues.delete(fifo, [second?.receiptHandle ?? '']);
    expect(await on.bodies(fifo)).toEqual(['a3']);
  });

  it.runIf(virtualTime)('refuses a late acknowledgement: the message comes back', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'slow'));
    const handles = handlesOf(await on.received(shortFifo));
    await on.letPass(1000);
    await on.queues.delete(shortFifo, handles);
    expect(await on.bodies(shortFifo)).toEqual(['slow']);
  });
}

function deduplication(given: Prepare, { virtualTime }: Traits): void {
  it('swallows a message whose id was accepted before, even when that one is deleted', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'first', 'same'), toGroup('a', 'twin', 'same'));
    expect(await on.drained(fifo)).toEqual(['first']);
    await on.sent(fifo, toGroup('a', 'late twin', 'same'));
    expect(await on.drained(fifo)).toEqual([]);
  });

  it.runIf(virtualTime)('accepts the id again 300 s after it was first accepted', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'first', 'same'));
    await on.letPass(299_999);
    await on.sent(fifo, toGroup('a', 'within', 'same'));
    await on.letPass(1);
    await on.sent(fifo, toGroup('a', 'after', 'same'));
    expect(await on.drained(fifo)).toEqual(['first', 'after']);
  });

  it('keeps ids of different queues and messages of standard queues apart', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'here', 'same'));
    await on.sent(shortFifo, toGroup('a', 'there', 'same'));
    await on.sent(standard, { body: 'twin' }, { body: 'twin' });
    expect(await on.drained(fifo)).toEqual(['here']);
    expect(await on.drained(shortFifo)).toEqual(['there']);
    expect(await on.drained(standard)).toEqual(['twin', 'twin']);
  });
}

function delays(given: Prepare): void {
  it('holds back a message by its own delay', async () => {
    const on = given();
    await on.sent(standard, { body: 'later', delaySeconds: 1 });
    expect(await on.bodies(standard)).toEqual([]);
    expect(await on.receivedWithinSeconds(standard)).toMatchObject([{ body: 'later' }]);
  });

  it('holds back every message of a queue that has a delay', async () => {
    const on = given();
    await on.sent(slowFifo, toGroup('a', 'later'));
    expect(await on.bodies(slowFifo)).toEqual([]);
    expect(await on.receivedWithinSeconds(slowFifo)).toMatchObject([{ body: 'later' }]);
  });
}

function redrive(given: Prepare): void {
  it('moves a message that was received too often to the dead-letter queue, and its group goes on', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'poison'), toGroup('a', 'next'));
    for (const receive of [1, 2]) {
      const [poison] = await on.received(fifo, 1);
      expect(poison).toMatchObject({ body: 'poison', attributes: { receiveCount: receive } });
      await on.queues.changeVisibility(fifo, [poison?.receiptHandle ?? ''], 0);
    }
    expect(await on.bodies(fifo)).toEqual(['next']);
    expect(await on.received(fifoDeadLetters)).toMatchObject([{ body: 'poison', attributes: { groupId: 'a' } }]);
  });
}

function longPolling(given: Prepare): void {
  it('answers a waiting receive as soon as a message is sent', async () => {
    const on = given();
    const receiving = on.queues.receive(standard, { max: 10, waitSeconds: 20 });
    await on.sent(standard, { body: 'awaited' });
    expect(await receiving).toMatchObject([{ body: 'awaited' }]);
  });

  it('answers a waiting receive as soon as a group is free again', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'a1'), toGroup('a', 'a2'));
    const handles = handlesOf(await on.received(fifo, 1));
    const receiving = on.queues.receive(fifo, { max: 10, waitSeconds: 20 });
    await on.queues.delete(fifo, handles);
    expect(await receiving).toMatchObject([{ body: 'a2' }]);
  });

  it('gives up waiting when the time is over', async () => {
    const on = given();
    const receiving = on.queues.receive(standard, { max: 10, waitSeconds: 1 });
    await on.letPass(1000);
    expect(await receiving).toEqual([]);
  });

  it('resolves with nothing when the receive is aborted, and loses no message by that', async () => {
    const on = given();
    const abort = new AbortController();
    const receiving = on.queues.receive(standard, { max: 10, waitSeconds: 20, signal: abort.signal });
    await on.queues.depth(standard);
    abort.abort();
    expect(await receiving).toEqual([]);
    await on.sent(standard, { body: 'not lost' });
    expect(await on.receivedWithinSeconds(standard)).toMatchObject([{ body: 'not lost' }]);
  });
}

interface Refusal {
  readonly message: OutgoingMessage;
  readonly queue: QueueName;
  readonly reason: string;
}

const refused: readonly Refusal[] = [
  { queue: standard, message: { body: '' }, reason: 'has no body' },
  { queue: standard, message: { body: 'x'.repeat(1_048_577) }, reason: 'is larger than 1 MiB' },
  { queue: standard, message: { body: 'x', delaySeconds: 901 }, reason: 'is delayed by more than 900 s' },
  { queue: standard, message: { body: 'x', groupId: 'a' }, reason: 'names a group on a standard queue' },
  { queue: fifo, message: toGroup('g'.repeat(129), 'x'), reason: 'has a group id of 129 characters' },
  { queue: fifo, message: toGroup('a', 'x', 'has space'), reason: 'has an id with an illegal character' },
  { queue: fifo, message: { body: 'x', groupId: 'a' }, reason: 'has no deduplication id on FIFO' },
  { queue: fifo, message: { ...toGroup('a', 'x'), delaySeconds: 1 }, reason: 'has a delay of its own on FIFO' },
];

function refusals(given: Prepare): void {
  it.each(refused)('refuses a message that $reason, and takes the others', async ({ queue, message }) => {
    const on = given();
    const good = queue === fifo ? toGroup('good', 'good') : { body: 'good' };
    const [before, bad, after] = await on.queues.send(queue, [good, message, { ...good, body: 'good' }]);
    expect([before, after]).toEqual([{ ok: true }, { ok: true }]);
    expect(bad).toMatchObject({ ok: false, error: expect.any(SendValidationError) });
    expect(new Set(await on.drained(queue))).toEqual(new Set(['good']));
  });

  it('refuses every message for a queue that it does not know', async () => {
    const outcomes = await given().queues.send('unknown', [{ body: 'one' }, { body: 'two' }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false]);
  });
}
