// Two invocations at once, and processes that are killed at any request: no Machine is created too many, and no name twice.
import { describe, expect, it } from 'vitest';
import { settle, settleAll, watchMost } from './invocations.ts';
import { aSet, aWorld, invoke, type MachineSetWorld, refs } from './set-with-machines.ts';

/** The end state without names, which depend on versions. */
function endOf(world: MachineSetWorld) {
  const living = (kind: 'Machine' | 'FooMachine' | 'FooConfig') =>
    world.all(kind).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
  return {
    machines: living('Machine'),
    deleting: world.all('Machine').length - living('Machine'),
    infra: living('FooMachine'),
    configs: living('FooConfig'),
    reserved: world.reserved(),
    scalingUp: world.condition('ScalingUp'),
    ready: world.status('observedGeneration'),
  };
}

const created = {
  ...{ machines: 2, deleting: 0, infra: 2, configs: 2, reserved: undefined },
  ...{ scalingUp: 'False/NotScalingUp', ready: 1 },
};

async function countCalls(begin: () => Promise<MachineSetWorld>): Promise<number> {
  const world = await begin();
  world.api.calls.reset();
  await invoke(world.api);
  const { length } = world.api.calls.all;
  expect(length).toBeGreaterThan(20);
  return length;
}

const namesOfEvents = (world: MachineSetWorld) =>
  world.api.core
    .list(world.api.core.registry.endpointOfKind('v1', 'Event'), {})
    .items.filter(({ reason }) => reason === 'SuccessfulCreate')
    .map(({ message }) => message);

describe('another invocation before any call of an invocation that creates Machines', () => {
  it('leads to the same Machines', async () => {
    const calls = await countCalls(() => aWorld());
    for (let number = 1; number <= calls; number += 1) {
      const world = await aWorld();
      world.api.calls.reset();
      const most = watchMost(world);
      world.api.calls.before(number, () => invoke(world.api, { kubernetes: world.api.others }));
      await invoke(world.api);
      expect({ number, most: most() }).toEqual({ number, most: 2 });
      await settleAll(world);
      expect({ number, ...endOf(world) }).toEqual({ number, ...created });
      expect(new Set(namesOfEvents(world)).size).toBe(2);
    }
  });

  it('leads to the same Machines if each of both stops halfway', async () => {
    const calls = await countCalls(() => aWorld());
    for (let number = 1; number <= calls; number += 3) {
      for (const passes of [1, 2]) {
        const world = await aWorld();
        world.api.calls.reset();
        const most = watchMost(world);
        world.api.calls.before(number, () => invoke(world.api, { kubernetes: world.api.others, maxPasses: passes }));
        world.api.calls.fail({ at: number + 4, failure: 'crash', times: 1 });
        await invoke(world.api);
        await settleAll(world);
        expect({ number, most: most() }).toEqual({ number, most: 2 });
        expect({ number, ...endOf(world) }).toEqual({ number, ...created });
      }
    }
  });
});

describe('another invocation before any call of an invocation that deletes Machines', () => {
  const begin = async (): Promise<MachineSetWorld> => {
    const world = await aWorld({ set: aSet({ replicas: 4 }), machines: ['m1', 'm2', 'm3', 'm4'] });
    await world.change(refs.set, { spec: { replicas: 2 } });
    return world;
  };

  it('deletes the same Machines', async () => {
    const calls = 14;
    for (let number = 1; number <= calls; number += 1) {
      const world = await begin();
      world.api.calls.reset();
      world.api.calls.before(number, () => invoke(world.api, { kubernetes: world.api.others }));
      await invoke(world.api);
      await settle(world);
      expect({ number, ...endOf(world) }).toMatchObject({ number, machines: 2, deleting: 2 });
    }
  });
});

describe('a process that is killed', () => {
  it.each([{ when: 'before' }, { when: 'after' }] as const)(
    '$when any call takes effect: the next one completes the same Machines',
    async ({ when }) => {
      const calls = await countCalls(() => aWorld());
      for (let number = 1; number <= calls; number += 1) {
        const world = await aWorld();
        world.api.calls.reset();
        const most = watchMost(world);
        world.api.calls.fail({ at: number, failure: 'crash', when, times: 1 });
        await settleAll(world);
        expect({ number, most: most(), ...endOf(world) }).toEqual({ number, most: 2, ...created });
      }
    },
  );

  it.each([{ when: 'before' }, { when: 'after' }] as const)(
    '$when any call of a deletion takes effect: the end is the same',
    async ({ when }) => {
      const begin = async (): Promise<MachineSetWorld> => {
        const world = await aWorld({ machines: ['m1', 'm2'] });
        await world.api.others.delete(refs.set);
        return world;
      };
      const end = async (world: MachineSetWorld): Promise<void> => {
        await invoke(world.api);
        for (const { metadata } of world.all('Machine')) {
          await world.change(refs.machine(metadata.name), { metadata: { finalizers: null } });
        }
        await invoke(world.api);
      };
      const first = await begin();
      first.api.calls.reset();
      await end(first);
      const calls = first.api.calls.all.length;
      for (let number = 1; number <= calls; number += 1) {
        const world = await begin();
        world.api.calls.reset();
        world.api.calls.fail({ at: number, failure: 'crash', when, times: 1 });
        await end(world);
        await end(world);
        expect({ number, set: world.api.find(refs.set), machines: world.all('Machine') }).toEqual({
          number,
          set: undefined,
          machines: [],
        });
      }
    },
  );
});
