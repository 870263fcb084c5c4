// Delays of messages and of queues.
import { expect, it } from 'vitest';
import { type Prepare, slowFifo, slowStandard, standard, toGroup } from '../world.ts';

export function delays(given: Prepare): void {
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

  it('lets the delay of a message, even none, count instead of the delay of its queue', async () => {
    const on = given();
    await on.sent(slowStandard, { body: 'later' }, { body: 'now', delaySeconds: 0 });
    expect(await on.bodies(slowStandard)).toEqual(['now']);
    expect(await on.queues.depth(slowStandard)).toEqual({ visible: 0, inFlight: 1, delayed: 1 });
  });
}
