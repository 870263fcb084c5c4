// A bundle that throws at its import, under the runtime of Lambda: the error is known before the first message, and the
// messages become dead letters in a time that does not depend on the function.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { declarations } from '../../functions/declarations.ts';
import { startEventSourceMapping } from '../../local/event-source-mapping.ts';
import { deadLetterQueueOf } from '../../shared/workqueue/queue-names.ts';
import { layouts, toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { findLambdaRic } from '../lambda-ric/location.ts';
import { describePart } from '../support/describe-part.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { startLambda } from '../support/lambda-process.ts';
import { MemoryQueues } from '../support/memory-queues/queues.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

describePart('a bundle that throws at its import', findLambdaRic(), {
  part: 'the Lambda runtime interface client',
  declare: ({ program }) => {
    it('is reported as a failed initialization, without an answer to a message', async () => {
      const taskRoot = mkdtempSync(path.join(tmpdir(), 'capi-broken-'));
      writeFileSync(path.join(taskRoot, 'handler.mjs'), "throw new TypeError('broken at its import');\n");
      const function_ = { name: 'cluster', handler: 'handler.handler', timeoutSeconds: 120, memoryMiB: 512 };
      const running = await startLambda(program, { ...function_, environment: {}, taskRoot });
      try {
        expect(await running.initFailure).toMatchObject({
          errorType: 'TypeError',
          errorMessage: expect.stringContaining('broken at its import'),
        });
        expect(await running.ended).not.toBe(0);
        await expect(running.invoke({ Records: [] })).rejects.toThrow('broken at its import');
      } finally {
        await running.stop();
        rmSync(taskRoot, { recursive: true, force: true });
      }
    });
  },
});

describe('messages of a function that cannot start', () => {
  it.each(layouts)('are dead letters after 15 to 18 minutes, in each queue of layout %s', async layout => {
    const clock = new SteppedClock();
    const consumers = toConsumers(declarations, layout);
    const queues = new MemoryQueues({ clock, queues: toQueueSpecs(consumers) });
    // No code of the function runs, so nothing changes the visibility of its messages.
    const mappings = consumers.map(({ queue, batchSize, timeoutSeconds }) =>
      startEventSourceMapping({
        queue,
        batchSize,
        queues,
        clock,
        log: aRecordingLog(),
        target: { name: queue, timeoutSeconds, handler: () => Promise.reject(new Error('broken at its import')) },
      }),
    );
    for (const { queue } of consumers) {
      const ids = queue.endsWith('.fifo') ? { groupId: 'g', deduplicationId: 'd' } : {};
      await queues.send(queue, [{ body: '{}', ...ids }]);
    }
    const deadLetters = async () =>
      Promise.all(
        consumers.map(async ({ queue }) => {
          const { visible } = await queues.depth(deadLetterQueueOf(queue));
          return visible;
        }),
      );
    await clock.advance(14 * 60_000);
    expect(new Set(await deadLetters())).toEqual(new Set([0]));
    await clock.advance(4 * 60_000);
    expect(new Set(await deadLetters())).toEqual(new Set([1]));
    const stopped = Promise.all(mappings.map(mapping => mapping.stop()));
    await clock.advance(20_000);
    await stopped;
  });
});
