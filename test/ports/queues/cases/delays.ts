// Delays of messages.
import { expect, it } from 'vitest';
import { type Prepare, standard } from '../world.ts';

export function delays(given: Prepare): void {
  it('delays a message by its own delay', async () => {
    const on = given();
    await on.sent(standard, { body: 'later', delaySeconds: 1 });
    expect(await on.bodies(standard)).toEqual([]);
    expect(await on.receivedWithinSeconds(standard)).toMatchObject([{ body: 'later' }]);
  });
}
