// Long polling: events that end the wait of a receive.
import { expect, it } from 'vitest';
import type { QueueName } from '../../../../shared/workqueue/port.ts';
import {
  fifo,
  handlesOf,
  type ItIf,
  type Prepare,
  type QueueSteps,
  shortFifo,
  standard,
  toGroup,
} from '../suite-queues.ts';

export function longPolling(given: Prepare, itIf: ItIf): void {
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

  it('returns when the wait time is over', async () => {
    const on = given();
    const receiving = on.queues.receive(standard, { max: 10, waitSeconds: 1 });
    await on.letPass(1000);
    expect(await receiving).toEqual([]);
  });

  it('answers a waiting receive when a delay ends', async () => {
    const on = given();
    await on.sent(standard, { body: 'later', delaySeconds: 1 });
    const receiving = on.queues.receive(standard, { max: 10, waitSeconds: 20 });
    await on.letPass(1000);
    expect(await receiving).toMatchObject([{ body: 'later' }]);
  });

  it('answers a waiting receive when the visibility timeout of another receiver ends', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'crashed'));
    await on.received(shortFifo);
    const receiving = on.queues.receive(shortFifo, { max: 10, waitSeconds: 20 });
    await on.letPass(1000);
    expect(await receiving).toMatchObject([{ body: 'crashed', attributes: { receiveCount: 2 } }]);
  });

  it('returns an empty list when the receive is aborted, and loses no message', async () => {
    const on = given();
    await aborted(on, shortFifo);
    await on.sent(shortFifo, toGroup('a', 'not lost'));
    expect(await on.receivedSoon(shortFifo)).toMatchObject([{ body: 'not lost' }]);
  });

  itIf('noticesHangUp')('shows a message at once that was sent after a receive was aborted', async () => {
    const on = given();
    await aborted(on, standard);
    await on.sent(standard, { body: 'not hidden' });
    expect(await on.receivedSoon(standard)).toMatchObject([{ body: 'not hidden' }]);
  });
}

/** Expects the result of a receive that was aborted while it waited. */
async function aborted(on: QueueSteps, queue: QueueName): Promise<void> {
  const abort = new AbortController();
  const receiving = on.queues.receive(queue, { max: 10, waitSeconds: 20, signal: abort.signal });
  await on.queues.depth(queue);
  abort.abort();
  expect(await receiving).toEqual([]);
}
