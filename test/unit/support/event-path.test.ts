import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { IncomingMessage } from '../../../shared/kernel/coalesce.ts';
import { workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { startEventPath } from '../../support/event-path.ts';
import { aDeclaration } from '../../support/kernel.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';

/** The turns of the event loop that a response takes. Time does not stop meanwhile. */
const turns = 2_000;

it('stops although an invocation that waits for a response of a real server sleeps again afterwards', async () => {
  const clock = new SteppedClock();
  let isServing = false;
  const serve = async (_context: unknown, _messages: readonly IncomingMessage[]): Promise<readonly string[]> => {
    isServing = true;
    for (let turn = 0; turn < turns; turn += 1) {
      await setImmediate();
    }
    await clock.sleep(100);
    isServing = false;
    return [];
  };
  const { kubernetes } = createMemoryApi();
  const path = startEventPath({
    clock,
    reconcilers: [{ declaration: aDeclaration({ timeoutSeconds: 120 }), serve }],
    kubernetes: () => kubernetes,
    sendMs: 10,
    isDeaf: true,
  });
  const message = { body: 'any', groupId: 'one', deduplicationId: 'one' };
  expect(await path.queues.send(workQueueOf('widget'), [message])).toEqual([{ ok: true }]);
  await clock.advance(100);
  expect(isServing).toBe(true);
  await path.stop();
  expect(isServing).toBe(false);
});
