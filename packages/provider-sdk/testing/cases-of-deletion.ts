// Cases of deletion, from every possible state.

import { beginWorld } from './conformance-fixture.ts';
import { expectCondition, expectThat } from './expectations.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';

export function deletionCases(setup: ConformanceSetup): readonly ConformanceCase[] {
  return [
    { name: 'is deleted after it was ready', run: () => goes(setup) },
    { name: 'is deleted after its first call', run: () => goesUnfinished(setup) },
    { name: 'is deleted if no Cluster has ever owned it', run: () => goesUnowned(setup) },
    { name: 'is deleted after its Cluster', run: () => goesAlone(setup) },
  ];
}

async function goes(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  await world.settleReady();
  await world.remove(world.ref);
  const held = await world.find();
  expectThat(held?.metadata.finalizers?.includes(world.finalizer) === true, 'the finalizer to hold the object', held);
  await world.pass();
  const deleting = await world.find();
  if (deleting !== undefined) {
    expectCondition(deleting, 'Ready', { status: 'False', reason: 'Deleting' });
  }
  await world.settleGone();
}

async function goesUnfinished(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  await world.pass();
  await world.remove(world.ref);
  await world.settleGone();
}

async function goesUnowned(setup: ConformanceSetup): Promise<void> {
  const { kind, group } = setup.provider.declaration.primary;
  const finalizers = [setup.finalizer ?? `${kind.toLowerCase()}.${group}`];
  const world = await beginWorld(setup, { owned: false, finalizers });
  await world.remove(world.ref);
  await world.settleGone();
}

async function goesAlone(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  await world.settleReady();
  await world.remove(world.cluster);
  await world.remove(world.ref);
  await world.settleGone();
}
