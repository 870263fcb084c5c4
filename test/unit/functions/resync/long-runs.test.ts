// A run that needs more time than its invocation has: the next run continues.
import { describe, expect, it } from 'vitest';
import type { ResyncOptions } from '../../../../functions/resync/options.ts';
import { resync } from '../../../../functions/resync/resync.ts';
import { partSize } from '../../../../functions/resync/send-plan.ts';
import { widgetKind } from '../../../support/kernel.ts';
import { ResyncWorld } from './resync-with-queues.ts';

const isNotDue = { fullPeriodSeconds: 3_000 * 86_400 };

/** The duration of the steps of a run, in ms. */
interface Speed {
  readonly page: number;
  readonly message: number;
  readonly most: number;
}

/** The time of an invocation passes with its pages and messages, and its signal aborts at the end. */
function timed(world: ResyncWorld, { page, message, most }: Speed): ResyncOptions {
  const options = world.options(isNotDue);
  const end = new AbortController();
  let passed = 0;
  const pass = (ms: number): void => {
    passed += ms;
    if (passed >= most) {
      end.abort(new Error('the time is up'));
    }
  };
  return {
    ...options,
    signal: end.signal,
    clock: { now: () => options.clock.now() + passed },
    watches: {
      page: async (query, more) => {
        pass(page);
        return world.api.page(query, more);
      },
    },
    queues: {
      send: async (queue, messages) => {
        pass(message * messages.length);
        return options.queues.send(queue, messages);
      },
    },
  };
}

function aWorldOf(count: number): ResyncWorld {
  const world = new ResyncWorld();
  for (let index = 0; index < count; index += 1) {
    world.api.put(widgetKind, { namespace: `ns-${index % 100}`, name: `w${index}` });
  }
  return world;
}

const sentKeys = (world: ResyncWorld) => world.sent.map(({ request: { key } }) => `${key.namespace}/${key.name}`);

async function runUntilSilent(world: ResyncWorld, speed: Speed): Promise<readonly number[]> {
  const sent: number[] = [];
  for (let run = 0; run < 20; run += 1) {
    const before = world.sent.length;
    await world.server.clock.advance(600_000);
    await resync(timed(world, speed));
    sent.push(world.sent.length - before);
    if (world.sent.length === before) {
      break;
    }
  }
  return sent;
}

describe('a large fleet', () => {
  // At 0.29 vCPU, a message takes about 1 ms (docs/decisions/0083-what-is-settled.md). Here each object counts as eight
  // of 65,536, and each message takes four times as long.
  const slow = { page: 2_000, message: 32, most: 119_000 };

  it('gets through its first runs, and each object is enqueued about once', async () => {
    const count = 65_536 / 8;
    const world = aWorldOf(count);
    const runs = await runUntilSilent(world, slow);
    expect(runs.at(-1)).toBe(0);
    expect(runs.length).toBeLessThan(10);
    expect(new Set(sentKeys(world)).size).toBe(count);
    // A run that ends early repeats at most what it sent after it stored its progress.
    expect(world.sent.length - count).toBeLessThan(runs.length * (10_000 / slow.message + partSize));
  });
});

describe('a run whose time is up', () => {
  const speed = { page: 10, message: 10, most: 30_000 };

  it('says so, and the next one continues', async () => {
    const world = aWorldOf(5_000);
    const options = timed(world, speed);
    await resync(options);
    expect(world.log.lines.at(-1)).toMatchObject({
      level: 'info',
      message: 'The time of the run is up, the next one continues',
      sent: 3_200,
      pending: 1_800,
    });
    await resync(timed(world, speed));
    expect(new Set(sentKeys(world)).size).toBe(5_000);
    expect(await world.run(isNotDue)).toEqual([]);
  });

  it('fails if it stored nothing', async () => {
    const world = aWorldOf(1_000);
    await expect(resync(timed(world, { ...speed, most: 5_000 }))).rejects.toThrow('the time is up');
  });

  it('stores nothing more after another run has stored its result', async () => {
    const world = aWorldOf(2_400);
    const options = timed(world, { ...speed, most: 60_000 });
    let isOther = true;
    const { send } = options.queues;
    const queues: ResyncOptions['queues'] = {
      send: async (queue, messages) => {
        if (isOther) {
          isOther = false;
          await resync(world.options(isNotDue));
        }
        return send(queue, messages);
      },
    };
    await resync({ ...options, queues });
    expect(await world.run(isNotDue)).toEqual([]);
  });
});
