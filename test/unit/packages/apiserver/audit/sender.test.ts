// Delivery of audit events to a webhook that is slow, unavailable or refuses them.
import { describe, expect, it } from 'vitest';
import { createSender, type Sender, type SenderOptions } from '../../../../../packages/apiserver/audit/sender.ts';
import { SteppedClock } from '../../../../support/stepped-clock.ts';

const batch = { maxSize: 3, maxWaitMs: 50, buffer: 20, initialBackoffMs: 1000 };

interface World {
  readonly clock: SteppedClock;
  readonly sender: Sender;
  /** The posted events by name. */
  readonly posts: string[][];
  readonly lost: (readonly [number, string])[];
}

function aWorld(answer: (post: number) => Promise<void>, change: Partial<SenderOptions> = {}): World {
  const clock = new SteppedClock();
  const posts: string[][] = [];
  const lost: (readonly [number, string])[] = [];
  const sender = createSender({
    clock,
    batch,
    post(events) {
      posts.push(events.map(({ name }) => String(name)));
      return answer(posts.length);
    },
    onLoss: (count, why) => lost.push([count, why instanceof Error ? why.message : String(why)]),
    ...change,
  });
  return { clock, sender, posts, lost };
}

function send({ sender }: World, ...names: readonly string[]): void {
  for (const name of names) {
    sender.send({ name });
  }
}

const never = (): Promise<void> => new Promise(() => {});
const taken = async (): Promise<void> => {};
const away = async (): Promise<void> => {
  throw new Error('away');
};

describe('audit events', () => {
  it('wait for others before they are sent', async () => {
    const world = aWorld(taken);
    send(world, 'a', 'b');
    await world.clock.advance(49);
    expect(world.posts).toEqual([]);
    await world.clock.advance(1);
    expect(world.posts).toEqual([['a', 'b']]);
  });

  it('are sent at once when the batch is full', async () => {
    const world = aWorld(taken);
    send(world, 'a', 'b', 'c', 'd');
    expect(world.posts).toEqual([['a', 'b', 'c']]);
    await world.clock.advance(50);
    expect(world.posts).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it.each([
    { reason: 'the receiver is unavailable', why: 'away' },
    { reason: 'the receiver refuses them: its token may be corrected', why: 'answered 401' },
  ])('are sent again with growing delays, five times in all, and then lost, when $reason', async ({ why }) => {
    const world = aWorld(async () => {
      throw new Error(why);
    });
    send(world, 'a');
    await world.clock.advance(50);
    const counts = [];
    for (const ms of [999, 1, 1500, 2250, 3375, 100_000]) {
      await world.clock.advance(ms);
      counts.push(world.posts.length);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 5]);
    expect(world.lost).toEqual([[1, why]]);
  });

  it('are not blocked by events that are retried', async () => {
    const world = aWorld(post => (post === 1 ? away() : taken()));
    send(world, 'a');
    await world.clock.advance(50);
    send(world, 'b');
    await world.clock.advance(50);
    await world.clock.advance(1000);
    expect(world.posts).toEqual([['a'], ['b'], ['a']]);
    expect(world.lost).toEqual([]);
  });

  it('wait in a bounded buffer while four posts are in flight; further ones are dropped', () => {
    const world = aWorld(never);
    send(world, ...Array.from({ length: 4 * batch.maxSize + batch.buffer + 1 }, (_, index) => `e${index}`));
    expect(world.posts).toHaveLength(4);
    expect(world.lost).toEqual([[1, '20 events wait already']]);
  });

  it('are sent when a post completes', async () => {
    const answers: (() => void)[] = [];
    const world = aWorld(() => new Promise(resolve => answers.push(resolve)));
    send(world, ...Array.from({ length: 5 * batch.maxSize }, (_, index) => `e${index}`));
    expect(world.posts).toHaveLength(4);
    answers[0]?.();
    await world.clock.advance(0);
    expect(world.posts[4]).toEqual(['e12', 'e13', 'e14']);
  });

  it('are split and truncated to the limits of the receiver', async () => {
    const truncate = { maxEventBytes: 100, maxBatchBytes: 60 };
    const world = aWorld(taken, { truncate });
    world.sender.send({ name: 'x'.repeat(200) });
    world.sender.send({ name: 'cut', responseObject: 'x'.repeat(200) });
    send(world, 'b');
    await world.clock.advance(50);
    expect(world.posts).toEqual([['cut'], ['b']]);
    expect(world.lost).toEqual([[1, expect.stringContaining('too large')]]);
  });

  it('that are pending are retried once on stop, without a report of losses', async () => {
    const world = aWorld(away);
    send(world, 'a', 'b', 'c', 'd');
    await world.sender.stop();
    expect(world.posts).toEqual([['a', 'b', 'c'], ['d']]);
    expect(world.lost).toEqual([]);
  });
});
