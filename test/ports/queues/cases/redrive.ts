// The redrive of messages that are never acknowledged.
import { expect, it } from 'vitest';
import {
  fifo,
  fifoDeadLetters,
  handlesOf,
  type Prepare,
  poisonedStandard,
  standardDeadLetters,
  toGroup,
} from '../suite-queues.ts';

export function redrive(given: Prepare): void {
  it('moves a message that was received too often to the dead-letter queue, and its group continues', async () => {
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

  it('does the same on a standard queue, and keeps messages that were received less often', async () => {
    const on = given();
    await on.sent(poisonedStandard, { body: 'poison' });
    await on.queues.changeVisibility(poisonedStandard, handlesOf(await on.received(poisonedStandard)), 0);
    await on.sent(poisonedStandard, { body: 'good' });
    expect(await on.bodies(poisonedStandard)).toEqual(['good']);
    expect(await on.bodies(standardDeadLetters)).toEqual(['poison']);
  });

  it('drops a dead letter that is sent again under its old id, and accepts it under a new id', async () => {
    const on = given();
    const poison = toGroup('a', 'poison', 'old-id');
    await on.sent(fifo, poison);
    for (const _ of [1, 2]) {
      await on.queues.changeVisibility(fifo, handlesOf(await on.received(fifo, 1)), 0);
    }
    expect(await on.bodies(fifo)).toEqual([]);
    await on.sent(fifo, poison);
    expect(await on.bodies(fifo)).toEqual([]);
    await on.sent(fifo, toGroup('a', 'poison'));
    expect(await on.received(fifo)).toMatchObject([{ body: 'poison', attributes: { receiveCount: 1 } }]);
  });
}
