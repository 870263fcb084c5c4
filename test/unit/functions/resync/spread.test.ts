// When the objects of a run are enqueued: changes and many objects by timers, few unchanged objects at once.
import { describe, expect, it } from 'vitest';
import { mostAtOnce } from '../../../../functions/resync/send-plan.ts';
import { aDeclaration, widgetKind } from '../../../support/kernel.ts';
import { ResyncWorld } from './resync-with-queues.ts';

describe('many objects', () => {
  it.each([
    { period: 60, from: 30, below: 60, reason: 'within the period' },
    { period: 86_400, from: 120, below: 900, reason: 'within the longest delay of a queue' },
  ])('are spread evenly and deterministically: $reason', async ({ period, from, below }) => {
    const world = new ResyncWorld();
    const periods = { periodSeconds: period, fullPeriodSeconds: period };
    for (let index = 0; index < 2 * mostAtOnce; index += 1) {
      world.api.put(widgetKind, { namespace: 'default', name: `w${index}` });
    }
    await world.run(periods);
    const delays = world.sent.map(({ delaySeconds }) => delaySeconds ?? -1);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(from);
    expect(Math.max(...delays)).toBeLessThan(below);
    expect(delays.filter(delay => delay < (from + below) / 2).length).toBeGreaterThan(100);
    expect(delays.filter(delay => delay >= (from + below) / 2).length).toBeGreaterThan(100);
    await world.run(periods);
    const again = world.sent.slice(delays.length).filter(({ queue }) => queue === 'delay');
    expect(again.map(({ delaySeconds }) => delaySeconds)).toEqual(delays.slice(mostAtOnce));
  });

  it('are also spread if they are due in the same run, beyond those that are enqueued at once', async () => {
    const world = new ResyncWorld();
    for (let index = 0; index < 16_800; index += 1) {
      world.api.put(widgetKind, { namespace: 'default', name: `w${index}` });
    }
    const periods = { periodSeconds: 3600, fullPeriodSeconds: 86_400 };
    await world.run(periods);
    const before = world.sent.length;
    await world.run(periods);
    const due = world.sent.slice(before);
    const timed = due.filter(({ queue }) => queue === 'delay').map(({ delaySeconds }) => delaySeconds);
    expect(due.length - timed.length).toBe(mostAtOnce);
    // About 400 of 780 seconds: about 310 different ones.
    expect(timed.length).toBeGreaterThan(300);
    expect(new Set(timed).size).toBeGreaterThan(timed.length * 0.7);
  });
});

describe('few objects', () => {
  it('are enqueued at once if they did not change, and by timers if they did', async () => {
    const world = new ResyncWorld([aDeclaration(), aDeclaration({ name: 'other' })]);
    const periods = { periodSeconds: 3600, fullPeriodSeconds: 7200 };
    for (const name of ['a', 'b', 'c', 'd']) {
      world.api.put(widgetKind, { name });
    }
    await world.run(periods);
    world.sent.length = 0;
    world.api.put(widgetKind, { name: 'e' });
    await world.run(periods);
    await world.run(periods);
    const timed = world.sent.filter(({ queue }) => queue === 'delay');
    expect(timed.map(({ request }) => `${request.reconciler} ${request.key.name}`)).toEqual(['widget e', 'other e']);
    const atOnce = world.sent.filter(({ queue }) => queue !== 'delay');
    expect(new Set(atOnce.map(({ queue, request }) => `${queue} ${request.reconciler}`))).toEqual(
      new Set(['work-widget.fifo widget', 'work-other.fifo other']),
    );
    expect(atOnce[0]?.request).toMatchObject({ cause: 'resync', attempt: 0 });
    // Two runs are a full period. The first of them includes the changed object among its changes.
    expect(
      atOnce
        .map(({ request }) => request.key.name)
        .filter(name => name !== 'e')
        .toSorted(),
    ).toEqual(['a', 'b', 'c', 'd'].flatMap(name => [name, name]));
  });
});
