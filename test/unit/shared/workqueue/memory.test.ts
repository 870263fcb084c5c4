// The features of the memory queues beyond the port. test/ports/queues tests the port.
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryQueues } from '../../../support/memory-queues/queues.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const fifo = 'work.fifo';
const standard = 'delay';

describe('queues in memory', () => {
  let clock: SteppedClock;
  let queues: MemoryQueues;
  const send = (body: string, groupId = 'a') =>
    queues.send(fifo, [{ body, groupId, deduplicationId: `${groupId}${body}` }]);
  const receive = (max = 10) => queues.receive(fifo, { max, waitSeconds: 0 });
  const inSeconds = (): number | undefined => {
    const at = queues.nextVisibleAt(fifo);
    return at === undefined ? undefined : (at - clock.now()) / 1000;
  };

  beforeEach(() => {
    clock = new SteppedClock();
    queues = new MemoryQueues({
      clock,
      queues: [
        { name: fifo, visibilityTimeoutSeconds: 30 },
        { name: standard, visibilityTimeoutSeconds: 60 },
      ],
    });
  });

  it('return no next time for an empty queue', () => {
    expect(inSeconds()).toBeUndefined();
  });

  it('return when the next message becomes visible', async () => {
    await send('1');
    expect(inSeconds()).toBe(0);
    const [message] = await receive();
    expect(inSeconds()).toBe(30);
    await queues.changeVisibility(fifo, [message?.receiptHandle ?? ''], 5);
    expect(inSeconds()).toBe(5);
    await clock.advance(5000);
    expect(inSeconds()).toBe(0);
  });

  it('treat a message behind one in flight as not visible', async () => {
    await send('1');
    await send('2');
    await receive(1);
    expect(inSeconds()).toBe(30);
    await send('3', 'b');
    expect(inSeconds()).toBe(0);
  });

  it('list their messages in the order of sending', async () => {
    await queues.send(standard, [{ body: 'one' }, { body: 'two', delaySeconds: 10 }]);
    await queues.receive(standard, { max: 1, waitSeconds: 0 });
    expect(queues.messages(standard)).toMatchObject([
      { body: 'one', state: 'inFlight', receiveCount: 1 },
      { body: 'two', state: 'delayed', receiveCount: 0, sentAtMs: clock.now() },
    ]);
    await clock.advance(10_000);
    expect(queues.messages(standard).map(({ state }) => state)).toEqual(['inFlight', 'visible']);
  });

  it('end a long poll as soon as a message becomes visible', async () => {
    await queues.send(standard, [{ body: 'later', delaySeconds: 7 }]);
    const waiting = queues.receive(standard, { max: 1, waitSeconds: 20 }).then(messages => ({
      bodies: messages.map(({ body }) => body),
      at: clock.now(),
    }));
    const start = clock.now();
    await clock.advance(20_000);
    expect(await waiting).toEqual({ bodies: ['later'], at: start + 7000 });
  });

  it('end the wait of an aborted receive', async () => {
    const abort = new AbortController();
    const receiving = queues.receive(standard, { max: 1, waitSeconds: 20, signal: abort.signal });
    expect(clock.sleepers).toBe(1);
    abort.abort();
    expect(await receiving).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  it('deliver each message to one of several long polls', async () => {
    const waiting = [1, 2].map(() => queues.receive(standard, { max: 1, waitSeconds: 5 }));
    await queues.send(standard, [{ body: 'one' }]);
    await clock.advance(5000);
    expect((await Promise.all(waiting)).map(messages => messages.length)).toEqual([1, 0]);
  });

  it('reject a queue that does not exist, and a receive of no messages', async () => {
    await expect(queues.receive('other', { max: 1, waitSeconds: 0 })).rejects.toThrow('"other" does not exist');
    await expect(receive(0)).rejects.toThrow(RangeError);
  });
});
