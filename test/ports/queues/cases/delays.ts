// Delays of messages.
import { expect, it } from 'vitest';
import { type Prepare, standard } from '../suite-queues.ts';

export function delays(given: Prepare): void {
  it('delays each message by its own delay', async () => {
    const on = given();
    await on.sent(standard, { body: 'much later', delaySeconds: 900 }, { body: 'later', delaySeconds: 1 });
    expect(await on.receivedSoon(standard)).toMatchObject([{ body: 'later' }]);
    expect(await on.queues.depth(standard)).toMatchObject({ delayed: 1 });
  });
}
