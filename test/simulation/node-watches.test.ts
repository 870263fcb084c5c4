// Node watches of the forwarder (docs/simulation.md): a change of a Node enqueues its Machine without a timer.
import { expect, it } from 'vitest';
import { runSimulation } from './run.ts';
import { endWithoutNode, nodeRef, start } from './workloads/machine-steps.ts';
import { machineRef } from './workloads/members.ts';
import { clusterRef, conditionOf } from './workloads/workload.ts';

const seeds = ['1', '2', '3'];

/** Returns the states of NodeReady at most 20 seconds after the Node of a running Machine was deleted, for each seed. */
async function statesAfterDeletion(watching: { readonly watchesNodes?: true }): Promise<readonly string[]> {
  const states: string[] = [];
  for (const seed of seeds) {
    const { violations } = await runSimulation({
      seed,
      workload: {
        ...watching,
        name: 'node-deleted',
        about: 'A user deletes the Node of a running Machine',
        async script(user) {
          await start(user);
          // Nothing that the start caused takes longer.
          await user.pause(120);
          await user.pause(120);
          await user.inWorkload(clusterRef()).delete(nodeRef('m1'));
          for (let waited = 0; waited < 10; waited += 1) {
            await user.pause(1);
          }
          states.push(conditionOf(user.read(machineRef('m1')), 'NodeReady'));
          await endWithoutNode(user);
        },
      },
    });
    expect(violations).toEqual([]);
  }
  return states;
}

it('a Machine misses its deleted Node within seconds', async () => {
  expect(await statesAfterDeletion({ watchesNodes: true })).toEqual(seeds.map(() => 'False'));
});

it('a Machine does not miss its deleted Node without the watch, so nothing else enqueues it', async () => {
  expect(await statesAfterDeletion({})).toEqual(seeds.map(() => 'True'));
});
