// The deletion of a namespace with many Clusters: how often the objects around them are listed.
import { expect, it } from 'vitest';
import { declarations } from '../../../../functions/declarations.ts';
import { clusterKind, WatchForwarderWorld } from './stepped-forwarder.ts';

const names = Array.from({ length: 100 }, (_, at) => `c${at}`);

function expansionsOf(world: WatchForwarderWorld): Readonly<Record<string, number>> {
  const grouped = Object.groupBy(world.expansions(), ({ reconciler }) => reconciler);
  return Object.fromEntries(Object.entries(grouped).map(([reconciler, all = []]) => [reconciler, all.length]));
}

it('lists the members of each Cluster when its deletion begins and ends, and its namespace once a second', async () => {
  const world = new WatchForwarderWorld({ declarations });
  const put = (generation: number, more: object = {}): void => {
    for (const name of names) {
      world.api.put(clusterKind, { namespace: 'gone', name, generation, ...more }, { spec: {} });
    }
  };
  put(1);
  await world.start();
  await world.clock.advance(10_000);
  expect(expansionsOf(world)).toEqual({});

  put(2, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  await world.clock.advance(10_000);
  const whenBegun = expansionsOf(world);
  expect(whenBegun).toEqual({ machine: names.length, clusterresourceset: expect.any(Number) });
  expect(whenBegun['clusterresourceset']).toBeLessThanOrEqual(2);

  for (const name of names) {
    world.api.remove(clusterKind, { namespace: 'gone', name });
  }
  await world.clock.advance(10_000);
  const atTheEnd = expansionsOf(world);
  expect(atTheEnd).toEqual({
    machine: 2 * names.length,
    machinehealthcheck: names.length,
    machinepool: names.length,
    clusterresourceset: expect.any(Number),
  });
  expect(atTheEnd['clusterresourceset']).toBeLessThanOrEqual(4);
});
