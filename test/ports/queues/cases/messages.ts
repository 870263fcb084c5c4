// The fields of a message, and the limits of messages and bytes per call.
import { expect, it } from 'vitest';
import { fifo, type Prepare, standard, toGroup, uniqueId } from '../suite-queues.ts';

export function sendingAndReceiving(given: Prepare): void {
  it('delivers body, group and times of a message', async () => {
    const on = given();
    const message = toGroup('a', 'ünïcode', uniqueId());
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

  it('sends more messages in one call than one batch may hold', async () => {
    const on = given();
    const bodies = Array.from({ length: 25 }, (_, n) => `message ${n}`);
    await on.sent(standard, ...bodies.map(body => ({ body })));
    expect([...(await on.drained(standard))].sort()).toEqual([...bodies].sort());
  });

  it('sends more bytes in one call than one batch may hold', async () => {
    const on = given();
    const large = Array.from({ length: 3 }, (_, n) => ({ body: `${n}`.repeat(600_000) }));
    await on.sent(standard, ...large);
    expect((await on.queues.depth(standard)).visible).toBe(3);
  });

  it('returns at most the requested number of messages', async () => {
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
