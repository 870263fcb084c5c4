// Two forwarders without leader election: the queues deduplicate their messages.
import { describe, expect, it } from 'vitest';
import { clusterDeclaration, clusterKind, machineKind, WatchForwarderWorld } from './stepped-forwarder.ts';

const one = { namespace: 'default', name: 'one' };
const ownerReferences = [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'one', uid: 'uid-one' }];

/** Returns the accepted messages of ten seconds of changes, with this number of forwarders that started together. */
async function requestsOf(forwarders: number): Promise<readonly string[]> {
  const world = new WatchForwarderWorld();
  for (let count = 0; count < forwarders; count += 1) {
    await world.start();
  }
  for (const gapMs of [0, 10, 10, 2_500, 50, 400, 400, 400, 3_000, 0, 0, 1_500]) {
    await world.clock.advance(gapMs);
    world.api.put(clusterKind, one);
    world.api.put(machineKind, { namespace: 'default', name: `m${gapMs}`, ownerReferences });
  }
  await world.clock.advance(5_000);
  return world.requestTexts();
}

describe('two forwarders', () => {
  it('that receive the same changes at the same time send the messages of one', async () => {
    expect(await requestsOf(2)).toEqual(await requestsOf(1));
  });

  it('send a change of an idle object once, even if one of them is a minute late', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    const late = new WatchForwarderWorld({ declarations: [clusterDeclaration] });
    await late.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(60_000);
    late.api.put(clusterKind, one);
    await late.clock.advance(0);
    const ids = [world, late].map(({ queues }) =>
      queues.messages('work-cluster.fifo').map(message => message.deduplicationId),
    );
    expect(ids[0]).toHaveLength(1);
    expect(ids[1]).toEqual(ids[0]);
  });

  it('lose nothing if one of them stops', async () => {
    const world = new WatchForwarderWorld();
    await world.start();
    const { stop } = await world.start();
    world.api.put(clusterKind, one);
    await world.clock.advance(2_000);
    await stop();
    world.api.put(clusterKind, one);
    await world.clock.advance(2_000);
    expect(world.requestTexts()).toEqual(['default/one event uid-one@101', 'default/one event uid-one@102']);
  });
});
