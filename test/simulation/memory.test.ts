// Long campaigns. A finished run keeps nothing in memory. The test counts objects, because the size of a process is not
// precise.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { perform } from './trial.ts';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** The processes of these runs, each with its functions, caches, timers and pending calls. */
async function processesOf(seeds: readonly number[]): Promise<readonly WeakRef<object>[]> {
  const processes = new Map<string, WeakRef<object>>();
  for (const seed of seeds) {
    await perform(
      { workload: 'delete', seed, plan: { kind: 'mixed' } },
      { onInvocation: ({ process }) => processes.set(`${seed} ${process.name}`, new WeakRef(process)) },
    );
  }
  return [...processes.values()];
}

it('releases every process of an ended run, killed or not, so that campaigns need no fresh workers', async () => {
  const processes = await processesOf([1, 2, 3, 4, 5, 6]);
  collectGarbage();
  expect(processes.length).toBeGreaterThan(60);
  expect(processes.filter(process => process.deref() !== undefined)).toHaveLength(0);
});
