// The effect of `capi-serverless redrive` on dead letters, with every queue implementation.
import { expect, it } from 'vitest';
import { type Redriven, redrive } from '../../../../cli/redrive/redrive.ts';
import { fifo, fifoDeadLetters, type Prepare, type QueueSteps, toGroup, uniqueId } from '../suite-queues.ts';

const bodies = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];

async function redriven(on: QueueSteps, dryRun: boolean): Promise<Redriven> {
  const { signal } = new AbortController();
  const options = { queue: fifo, dryRun, queues: on.queues, now: Date.now, newId: uniqueId, report: () => undefined };
  const running = redrive({ ...options, signal });
  await on.letPass(5000);
  return running;
}

export function movingBack(given: Prepare): void {
  it('moves all dead letters back, several of a group in their order', async () => {
    const on = given();
    await on.sent(fifoDeadLetters, ...bodies.map(body => toGroup(body.slice(0, 1), body)));
    const { letters, found } = await redriven(on, false);
    expect({ found, outcomes: letters.map(({ outcome }) => outcome) }).toEqual({
      found: bodies.length,
      outcomes: bodies.map(() => 'moved'),
    });
    expect(await on.queues.depth(fifoDeadLetters)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    const moved = await on.drained(fifo);
    expect(moved.toSorted()).toEqual(bodies);
    expect(moved.filter(body => body.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  });

  it('returns at least one dead letter of each group and keeps all of them in the queue', async () => {
    const on = given();
    await on.sent(fifoDeadLetters, ...bodies.map(body => toGroup(body.slice(0, 1), body)));
    const { letters, found } = await redriven(on, true);
    expect(found).toBe(bodies.length);
    expect(letters.length).toBeGreaterThanOrEqual(3);
    expect(letters.every(({ outcome }) => outcome === 'shown')).toBe(true);
    expect(await on.queues.depth(fifoDeadLetters)).toEqual({ visible: bodies.length, inFlight: 0, delayed: 0 });
    expect(await on.queues.depth(fifo)).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });
}
