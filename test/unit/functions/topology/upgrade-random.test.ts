// Whole upgrades with random hooks, workers and crashes. They end, and calls are in the specified order.

import { parseVersion } from '@capi-serverless/cluster-api/contract';
import { describe, it } from 'vitest';
import { fc } from '../../../support/property.ts';
import { pendingHooks, upgradeStep } from '../../../support/topology-upgrade.ts';
import { type UpgradeCrash, UpgradeLife } from './upgrade-life.ts';

const hooks = [
  'BeforeClusterUpgrade',
  'BeforeControlPlaneUpgrade',
  'AfterControlPlaneUpgrade',
  'BeforeWorkersUpgrade',
  'AfterWorkersUpgrade',
  'AfterClusterUpgrade',
] as const;

/** The events before and during one pass. */
const turn = fc.record({
  /** The numbers of the parts that reach their version. */
  arrive: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
  blocking: fc.option(fc.constantFrom(...hooks), { freq: 3 }),
  failing: fc.option(fc.constantFrom(...hooks), { freq: 8 }),
  crash: fc.option(
    fc.constantFrom<UpgradeCrash>('beforeBookkeeping', 'beforeControlPlane', 'beforeCluster', 'beforeWorkers'),
    { freq: 4 },
  ),
  waitMs: fc.integer({ min: 0, max: 60_000 }),
});

const upgrade = fc.record({
  minors: fc.integer({ min: 1, max: 7 }),
  deployments: fc.integer({ min: 0, max: 3 }),
  pools: fc.integer({ min: 0, max: 1 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  served: fc.subarray([...hooks]),
  runtimeSdk: fc.boolean(),
  turns: fc.array(turn, { maxLength: 25 }),
});

const names = ['a', 'b', 'c'] as const;

/** The maximum number of passes. It is larger than the longest upgrade without faults needs. */
const quietPasses = 60;

function minorOf(version: string): number {
  return Number(parseVersion(version)?.minor ?? 0);
}

/** Workers are never newer than the control plane, nor more than three minors older than its lowest version. */
function isWithinSkew({ controlPlane, deployments, pools }: UpgradeLife): boolean {
  return [...deployments.values(), ...pools.values()].every(({ version, runs }) => {
    const newest = minorOf(controlPlane?.runs ?? '');
    return minorOf(version) <= newest && newest - minorOf(runs) <= 3;
  });
}

/** Returns the position of `Hook at` or `Hook from → to` in the specified order, by version and then by hook. */
function rankOf(call: string, start: string): number {
  const [name, ...versions] = call.split(' ');
  const hook = hooks.find(each => each === name) ?? 'BeforeClusterUpgrade';
  const to = versions.at(-1) ?? start;
  switch (hook) {
    case 'BeforeClusterUpgrade':
      return 0;
    case 'AfterClusterUpgrade':
      return Number.POSITIVE_INFINITY;
    default:
      return minorOf(to) * hooks.length + hooks.indexOf(hook);
  }
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number >= (numbers[index - 1] ?? number));
}

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** Executes the turns, and then passes without faults. `kept` contains the calls whose answers were not lost. */
async function play(life: UpgradeLife, turns: readonly Turn[]) {
  const asked: string[] = [];
  const kept: string[] = [];
  const skews: boolean[] = [];
  const parts = ['controlPlane', ...life.deployments.keys(), ...life.pools.keys()];
  for (const { arrive, blocking, failing, crash, waitMs } of turns) {
    life.answers.clear();
    if (blocking !== null) {
      life.answers.set(blocking, { message: 'wait', retryAfterSeconds: 30 });
    }
    if (failing !== null) {
      life.answers.set(failing, 'fails');
    }
    life.now += waitMs;
    const pass = await life.pass(crash ?? undefined);
    asked.push(...pass.asked);
    // If a pass crashes before its first write, its answers are lost and its hooks are called again.
    kept.push(...(crash === 'beforeBookkeeping' ? [] : pass.asked));
    skews.push(isWithinSkew(life));
    life.arrive('none', ...arrive.map(index => parts[index]));
  }
  life.answers.clear();
  let last: string | undefined;
  for (let pass = 0; pass < quietPasses; pass += 1) {
    life.now += 60_000;
    const { asked: more, condition } = await life.pass();
    asked.push(...more);
    kept.push(...more);
    skews.push(isWithinSkew(life));
    life.arrive();
    last = condition;
  }
  return { asked, kept, skews, last };
}

describe('an upgrade', () => {
  it('ends, keeps the skew, and calls hooks in order, despite blocks, failures and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(upgrade, async ({ minors, deployments, pools, concurrency, served, runtimeSdk, turns }) => {
        const versions = Array.from({ length: minors + 1 }, (_, index) => `v1.${30 + index}.0`);
        const [start = '', ...rest] = versions;
        const target = rest.at(-1) ?? start;
        const life = new UpgradeLife({
          version: start,
          versions,
          deployments: names.slice(0, deployments).map(name => ({ name })),
          pools: names.slice(0, pools).map(name => ({ name: `pool-${name}` })),
          annotations: { 'topology.cluster.x-k8s.io/upgrade-concurrency': String(concurrency) },
          hooks: served,
          runtimeSdk,
        });
        life.upgradeTo(target);
        const { asked, kept, skews, last } = await play(life, turns);
        const isThere =
          [life.controlPlane, ...life.deployments.values(), ...life.pools.values()].every(
            part => part?.version === target,
          ) && last === 'True | ReconcileSucceeded | ';
        const isClean = life.annotations[pendingHooks] === undefined && life.annotations[upgradeStep] === undefined;
        const isComplete = !runtimeSdk || served.every(hook => hasCalled(asked, hook, life));
        return (
          isThere &&
          isClean &&
          isComplete &&
          skews.every(is => is) &&
          isAscending(kept.map(call => rankOf(call, start)))
        );
      }),
      { numRuns: 60 },
    );
  });
});

/** Hooks of workers are called only if there are workers. */
function hasCalled(asked: readonly string[], hook: string, { deployments, pools }: UpgradeLife): boolean {
  const isOfWorkers = hook === 'BeforeWorkersUpgrade' || hook === 'AfterWorkersUpgrade';
  return (isOfWorkers && deployments.size + pools.size === 0) || asked.some(call => call.startsWith(`${hook} `));
}
