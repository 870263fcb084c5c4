// A deployment that changes its layout deletes the work queues of the former one with all messages that are in them. Here
// timers and messages of event sources are lost as well, and only the resync and the audit webhook remain.
import { describe, expect, it } from 'vitest';
import { isFull } from '../support/extent.ts';
import { type RunResult, runFrom, runSimulation } from './run.ts';
import type { SimulatedWorld } from './system/stored-state.ts';
import { differences } from './trial.ts';
import { workloadNamed } from './workloads/found.ts';
import type { Workload } from './workloads/workload.ts';

const resyncPeriodMs = 600_000;
const workload = workloadNamed('create');
/** Every how many invocations the layout changes. The numbers are primes, so that all functions are met. */
const every = isFull ? 3 : 13;

/** The stored states in the middle of a run. */
async function worldsOf(of: Workload): Promise<readonly SimulatedWorld[]> {
  const worlds: SimulatedWorld[] = [];
  let invocations = 0;
  const { violations } = await runSimulation({
    workload: of,
    seed: '1',
    resyncPeriodMs,
    onInvocation: (_, world) => {
      invocations += 1;
      if (invocations % every === 0) {
        worlds.push(world());
      }
    },
  });
  expect(violations).toEqual([]);
  return worlds;
}

function rest(of: Workload, world: SimulatedWorld, sources: { readonly forwarders: number }): Promise<RunResult> {
  const { forwarders } = sources;
  const workload: Workload = { ...of, name: `the rest of ${of.name}`, script: async () => {} };
  return runFrom({ workload, seed: '2', audit: true, forwarders, resyncPeriodMs }, world);
}

describe.each([
  { from: 'per-kind', to: 'compact' },
  { from: 'compact', to: 'per-kind' },
] as const)('a change of the layout from $from to $to', ({ from, to }) => {
  it('leads to the same end, at each sampled invocation', async () => {
    const worlds = await worldsOf({ ...workload, layout: from });
    expect(worlds.length).toBeGreaterThan(2);
    for (const world of worlds) {
      // A new forwarder lists every object, so this run loses nothing.
      const expected = await rest({ ...workload, layout: from }, world, { forwarders: 1 });
      const found = await rest({ ...workload, layout: to }, world, { forwarders: 0 });
      expect(found.violations).toEqual(expected.violations);
      expect(differences(found.end, expected.end)).toEqual([]);
    }
  });
});
