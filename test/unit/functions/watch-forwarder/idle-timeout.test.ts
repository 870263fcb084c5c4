// A stream without events: the connection may be broken, or nothing may have changed.
import { describe, expect, it } from 'vitest';
import { startIdleTimeout } from '../../../../functions/watch-forwarder/idle-timeout.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';
import { clusterKind, WatchForwarderWorld } from './stepped-forwarder.ts';

const one = { namespace: 'default', name: 'one' };
const source = 'Cluster.cluster.x-k8s.io';

function asked(world: WatchForwarderWorld, what: string): number {
  return world.api.asked.filter(text => text === what).length;
}

describe('a idle', () => {
  it('expires after the last reset', async () => {
    const clock = new SteppedClock();
    const idle = startIdleTimeout({ clock, limitMs: 1_000, over: new AbortController().signal });
    await clock.advance(900);
    idle.reset();
    await clock.advance(999);
    expect(idle.expired.aborted).toBe(false);
    await clock.advance(1);
    expect(idle.expired.aborted).toBe(true);
  });

  it('stops its timer when it is over', async () => {
    const clock = new SteppedClock();
    const over = new AbortController();
    const idle = startIdleTimeout({ clock, limitMs: 1_000, over: over.signal });
    over.abort();
    await clock.advance(5_000);
    expect(idle.expired.aborted).toBe(false);
    expect(clock.sleepers).toBe(0);
  });
});

describe('a silent stream', () => {
  it('is opened again within 90 s from the last version, and reports missed changes', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(0);
    world.api.stall();
    world.api.put(clusterKind, one);
    await world.clock.advance(74_000);
    expect(world.requestTexts()).toHaveLength(1);
    await world.clock.advance(16_000);
    expect(world.requestTexts()).toEqual(['default/one event uid-one@101', 'default/one event uid-one@102']);
    expect(world.counted('capi_serverless_source_lists_total', { source })).toBe(1);
    expect(world.counted('capi_serverless_silent_source_streams_total', { source })).toBe(1);
  });

  it('stays open while bookmarks arrive', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    for (let minute = 0; minute < 4; minute += 1) {
      await world.clock.advance(60_000);
      world.api.bookmark(clusterKind);
    }
    await world.clock.advance(60_000);
    expect(asked(world, 'watch Cluster')).toBe(1);
  });

  it('costs one small list and one watch if the server sends no bookmarks, and counts no failure', async () => {
    const world = new WatchForwarderWorld();
    const { forwarder } = await world.start();
    await world.clock.advance(76_000);
    expect(asked(world, 'list Cluster')).toBe(2);
    expect(asked(world, 'watch Cluster')).toBe(2);
    expect(world.counted('capi_serverless_source_failures_total')).toBe(0);
    expect(forwarder.sources[0]?.state).toBe('watching');
  });

  it('is a failure if the server does not answer within ten seconds', async () => {
    const world = new WatchForwarderWorld();
    const { forwarder } = await world.start();
    world.api.page = (_query, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted before an answer'))));
    await world.clock.advance(84_000);
    expect(forwarder.sources[0]?.state).toBe('watching');
    await world.clock.advance(2_000);
    expect(forwarder.sources[0]?.state).toBe('failing');
    expect(world.log.lines.find(({ level }) => level === 'error')).toMatchObject({ source, retryAfterMs: 500 });
  });
});
