// The same end whatever happens on the way: a crash at each write, calls that are repeated, calls side by side.
import type { Kubernetes } from '../../kubernetes/port.ts';
import { CrashError, crashingAt } from './crashing.ts';
import { endStateOf } from './end-state.ts';
import { expectThat } from './expectations.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';
import { beginWorld, type World } from './world.ts';

/** More writes than any life takes: the search for the last one must end. */
const mostWrites = 100;

export function faultCases(setup: ConformanceSetup): readonly ConformanceCase[] {
  return [
    { name: 'becomes ready whichever write a crash prevents', run: () => survives(setup, 'before', live) },
    { name: 'becomes ready whichever write a crash follows', run: () => survives(setup, 'after', live) },
    { name: 'goes whichever write a crash prevents', run: () => survives(setup, 'before', leave) },
    { name: 'goes whichever write a crash follows', run: () => survives(setup, 'after', leave) },
    { name: 'becomes ready under calls side by side', run: () => parallel(setup, live) },
    { name: 'goes under calls side by side', run: () => parallel(setup, leave) },
  ];
}

/** One life up to its end state, with the passes that are handed in. */
type Life = (world: World, pass: () => Promise<unknown>) => Promise<string>;

const live: Life = async (world, pass) => {
  await world.settleReady(pass);
  return endStateOf(await world.find(), world.setup.varies);
};

const leave: Life = async (world, pass) => {
  await world.settleReady();
  await world.remove(world.ref);
  await world.settle(object => object === undefined, pass);
  return endStateOf(await world.find(), world.setup.varies);
};

async function survives(setup: ConformanceSetup, when: 'before' | 'after', life: Life): Promise<void> {
  const expected = await undisturbed(setup, life);
  for (let write = 1; write <= mostWrites; write += 1) {
    const world = await beginWorld(setup);
    const crashing = crashingAt(setup.kubernetes(), write, when);
    const end = await life(world, () => passDespite(world, crashing.kubernetes));
    expectThat(end === expected, `after a crash ${when} write ${write} the end state ${expected}`, end);
    if (!crashing.hasCrashed()) {
      return;
    }
  }
  throw new Error(`Expected a life to end, but ${mostWrites} writes were not enough`);
}

async function undisturbed(setup: ConformanceSetup, life: Life): Promise<string> {
  const world = await beginWorld(setup);
  return life(world, () => world.pass());
}

async function passDespite(world: World, kubernetes: Kubernetes): Promise<unknown> {
  try {
    return await world.pass(kubernetes);
  } catch (thrown) {
    if (thrown instanceof CrashError) {
      return undefined;
    }
    throw thrown;
  }
}

async function parallel(setup: ConformanceSetup, life: Life): Promise<void> {
  const expected = await undisturbed(setup, life);
  const world = await beginWorld(setup);
  const end = await life(world, () => Promise.all([world.pass(), world.pass()]));
  expectThat(end === expected, `the end state ${expected}`, end);
}
