// The visibility timeout of received messages, and their acknowledgement.
import { expect, it } from 'vitest';
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

const shortVisibilityMs = 1000;

/**
 * Receives the first message and extends its visibility timeout. Tries again if this timeout ended earlier on a busy
 * machine.
 */
async function extendInTime(on: QueueSteps): Promise<void> {
  for (;;) {
    const began = performance.now();
    const handles = handlesOf(await on.received(shortFifo, 1));
    await on.queues.changeVisibility(shortFifo, handles, 900);
    if (handles.length > 0 && performance.now() - began < shortVisibilityMs) {
      return;
    }
    await on.queues.changeVisibility(shortFifo, handles, 0);
  }
}

export function visibility(given: Prepare, itIf: ItIf): void {
  it('hides a received message and deletes an acknowledged one permanently', async () => {
    const on = given();
    await on.sent(standard, { body: 'once' });
    const received = await on.received(standard);
    expect(await on.bodies(standard)).toEqual([]);
    await on.queues.delete(standard, handlesOf(received));
    expect(await on.queues.depth(standard)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('makes a message visible again immediately when its visibility is set to zero', async () => {
    const on = given();
    await on.sent(fifo, toGroup('a', 'again'));
    await on.queues.changeVisibility(fifo, handlesOf(await on.received(fifo)), 0);
    expect(await on.received(fifo)).toMatchObject([{ body: 'again', attributes: { receiveCount: 2 } }]);
  });

  it('makes a message visible again when its visibility timeout ends', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'again'));
    await on.received(shortFifo);
    expect(await on.receivedSoon(shortFifo)).toMatchObject([{ body: 'again' }]);
  });

  it('acknowledges and changes more messages in one call than one batch may hold', async () => {
    const on = given();
    await on.sent(standard, ...Array.from({ length: 12 }, (_, n) => ({ body: `${n}` })));
    const handles = handlesOf([...(await on.received(standard)), ...(await on.received(standard))]);
    await on.queues.changeVisibility(standard, handles, 60);
    await on.queues.delete(standard, handles);
    expect(await on.queues.depth(standard)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('ignores the handle of a deleted message', async () => {
    const on = given();
    await on.sent(standard, { body: 'gone' }, { body: 'stays' });
    const handles = handlesOf(await on.received(standard));
    const gone = handles.slice(0, 1);
    await on.queues.delete(standard, gone);
    await on.queues.delete(standard, gone);
    await on.queues.changeVisibility(standard, gone, 0);
    expect(await on.queues.depth(standard)).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
  });

  it('keeps a group hidden when the visibility timeout of its message is extended', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'long work'), toGroup('a', 'next'));
    await extendInTime(on);
    // The other message is received later. It becomes visible again after the same timeout.
    await on.sent(shortFifo, toGroup('b', 'other'));
    expect(await on.bodies(shortFifo)).toEqual(['other']);
    expect(await on.receivedSoon(shortFifo)).toMatchObject([{ body: 'other' }]);
  });

  itIf('virtualTime')('keeps a message hidden as long as its visibility is prolonged', async () => {
    const on = given();
    await on.sent(shortFifo, toGroup('a', 'long work'));
    await on.queues.changeVisibility(shortFifo, handlesOf(await on.received(shortFifo)), 120);
    await on.letPass(119_000);
    expect(await on.bodies(shortFifo)).toEqual([]);
    await on.letPass(1000);
    expect(await on.bodies(shortFifo)).toEqual(['long work']);
  });
}
