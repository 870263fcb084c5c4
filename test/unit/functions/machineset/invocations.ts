// Invocations of the function over time, as events and timers cause them.
import { invoke, type MachineSetWorld } from './set-with-machines.ts';

/** The function has ended after this time, and orphaned objects are deleted. */
export const afterTimeoutMs = 121_000;

/** Invokes the function, as events and timers would, until an invocation requests nothing and writes nothing. */
export async function settle(world: MachineSetWorld): Promise<void> {
  for (let invocations = 0; invocations < 20; invocations += 1) {
    const before = world.api.calls.writes.length;
    const { result } = await invoke(world.api);
    await world.api.clock.advance(result.kind === 'requeueAfter' ? result.ms : 1000);
    if (result.kind === 'done' && world.api.calls.writes.length === before) {
      return;
    }
  }
  throw new Error('The MachineSet does not settle');
}

export async function settleAll(world: MachineSetWorld): Promise<void> {
  await settle(world);
  await world.api.clock.advance(afterTimeoutMs);
  await settle(world);
}

/** The most Machines that existed before any call. */
export function watchMost(world: MachineSetWorld): () => number {
  let most = 0;
  world.api.calls.before(
    () => true,
    () => {
      most = Math.max(most, world.all('Machine').length);
    },
  );
  return () => Math.max(most, world.all('Machine').length);
}
