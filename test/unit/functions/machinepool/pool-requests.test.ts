// The requests of a settled MachinePool.
import { describe, expect, it } from 'vitest';
import { aFooMachine, aNode, anInfrastructure, aPool } from './pool-objects.ts';
import { createPoolWorld, type PoolGiven } from './pool-with-workload-cluster.ts';

const numbersTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

async function countSettled(given: PoolGiven) {
  const { api, remote, reconcileOnce, statusOf } = createPoolWorld(given);
  while ((await reconcileOnce()).writes.length > 0) {
    // The next pass finds what this one wrote.
  }
  const before = { own: api.calls.all.length, remote: remote.sent };
  const { writes } = await reconcileOnce();
  expect([writes, statusOf('phase')]).toEqual([[], 'Running']);
  return { own: api.calls.all.length - before.own, toNodes: remote.sent - before.remote };
}

describe('the requests of a settled MachinePool', () => {
  it.each([{ count: 1 }, { count: 30 }, { count: 300 }])(
    'are 7 with $count instances, and one to the workload cluster',
    async ({ count }) => {
      const numbers = numbersTo(count);
      const given: PoolGiven = {
        pool: aPool().withSpec({ replicas: count }),
        infrastructure: anInfrastructure(
          { ready: true, replicas: count },
          numbers.map(number => `p${number}`),
        ),
        nodes: numbers.map(number => aNode(number)),
      };
      expect(await countSettled(given)).toEqual({ own: 7, toNodes: 1 });
    },
  );

  it.each([{ count: 1 }, { count: 30 }, { count: 100 }])(
    'are 9 with $count instances that objects represent, and one to the workload cluster',
    async ({ count }) => {
      const numbers = numbersTo(count);
      const given: PoolGiven = {
        pool: aPool().withSpec({ replicas: count }),
        infrastructure: anInfrastructure(
          { ready: true, replicas: count, infrastructureMachineKind: 'FooMachine' },
          numbers.map(number => `p${number}`),
        ),
        nodes: numbers.map(number => aNode(number)),
        objects: numbers.map(number => aFooMachine(number)),
      };
      expect(await countSettled(given)).toEqual({ own: 9, toNodes: 1 });
    },
  );
});
