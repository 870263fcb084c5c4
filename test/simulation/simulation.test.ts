// The complete system in virtual time with all kinds of faults. By default, it runs a short sample.
// CAPI_TEST_EXTENT=full runs more, with CAPI_SIMULATION_SEEDS (the minimum number of mixtures of each workload) and
// CAPI_SIMULATION_SECONDS (the minimum duration).
import { afterAll, describe, expect, it } from 'vitest';
import { commitSeed } from '../support/commit-seed.ts';
import { isFull } from '../support/extent.ts';
import { type Campaign, callPoints, campaign, describeFailures, type Points, trialsOf } from './campaign.ts';
import { answerFaults, killFaults, perform, type Trial } from './trial.ts';
import { endWorkers } from './workers.ts';
import { workloads as all, managedWorkloads as allManaged, workloadNamed } from './workloads/found.ts';
import { sampleOf } from './workloads/sample.ts';
import type { Workload } from './workloads/workload.ts';

const seeds = Number(process.env['CAPI_SIMULATION_SEEDS'] ?? 1);
/**
 * The first of the points and mixtures that a whole run takes: others for each commit. CAPI_SIMULATION_FROM takes others
 * again, and repeats a run of another commit.
 */
const from = Number(process.env['CAPI_SIMULATION_FROM'] ?? (isFull ? commitSeed() : 0));
const first = 1 + (from % 1_000_000);
const until = performance.now() + 1000 * Number(process.env['CAPI_SIMULATION_SECONDS'] ?? 0);
/**
 * The points of each workload at which a process is killed: a sample of the forwarders' and a smaller one of the
 * functions'. kills.test.ts kills the functions without the rest of the system. CAPI_SIMULATION_KILLS=all leaves nothing out.
 */
const fullKills: Points['chosen'] =
  process.env['CAPI_SIMULATION_KILLS'] === 'all' ? { every: 1 } : { every: 216, from, ofForwarders: 36 };
const kills: Points['chosen'] = isFull ? fullKills : { drawn: 2 };
/** The interval for other single faults is a prime, so that every kind of fault is tested. */
const answers: Points['chosen'] = isFull ? { every: 1181, from } : { drawn: 2 };
/** The interval for managed topologies and other workloads whose runs are long. CAPI_SIMULATION_MANAGED=all tests everything. */
const leavesNothingOut = process.env['CAPI_SIMULATION_MANAGED'] === 'all';
const managedKills: Points['chosen'] = isFull ? { every: leavesNothingOut ? 1 : 1087, from } : { drawn: 1 };
const managedAnswers: Points['chosen'] = isFull ? { every: leavesNothingOut ? 23 : 7993, from } : { drawn: 1 };
const managedPoints = leavesNothingOut ? 'all calls' : 'writes';
const managedSeeds = leavesNothingOut ? seeds : 1;
const lossySeeds = isFull ? 2 : 1;
const workloads = sampleOf(all);
const managedWorkloads = sampleOf(allManaged);
const shortWorkloads = workloads.filter(({ long }) => !long);
const longWorkloads = workloads.filter(({ long }) => long);
const restarts = isFull ? 25 : 8;
/** One lost deletion is enough. About every second run has one. */
const mostLosses = isFull ? 100 : 8;
const eachManaged = { seeds: 1, of: managedWorkloads };

function namesOf(of: readonly Workload[]): readonly string[] {
  return of.map(({ name }) => name);
}

function trialsOfDelete(plan: Trial['plan'], runs: number): Iterable<Trial> {
  return trialsOf(plan, { seeds: runs, of: [workloadNamed('delete')] });
}

/** Runs no further trials after the first failure. */
async function findFailure(trials: Iterable<Trial>): Promise<Campaign> {
  let isFound = false;
  function* untilFound(): Iterable<Trial> {
    for (const trial of trials) {
      if (isFound) {
        return;
      }
      yield trial;
    }
  }
  // One trial at a time: a batch would go on after its first failure.
  return campaign(
    untilFound(),
    ({ failures }) => {
      isFound = failures.length > 0;
    },
    1,
  );
}

function summarize(what: string, { judged, failures }: Campaign): void {
  const ratio = judged === 0 ? 0 : (failures.length / judged) * 100;
  console.log(
    `${what}: ${judged - failures.length} of ${judged} end as the undisturbed run, ${ratio.toFixed(2)} % do not`,
  );
}

async function expectNoFailure(what: string, trials: Iterable<Trial>): Promise<void> {
  const result = await campaign(trials);
  summarize(what, result);
  expect(describeFailures(result)).toBe('');
  expect(result.judged).toBeGreaterThan(0);
}

afterAll(endWorkers);

describe('a run', () => {
  it('is identical for the same seed, line by line, and different for another', async () => {
    const hashOf = async (seed: number): Promise<string> =>
      (await perform({ workload: 'create', seed, plan: { kind: 'mixed' } }, { trace: true })).trace.hash();
    expect(await hashOf(1)).toBe(await hashOf(1));
    expect(await hashOf(2)).not.toBe(await hashOf(1));
  });
});

describe('a process that is killed at any call, before it is sent or after it took effect', () => {
  it.each(namesOf(workloads))('%s: reaches the undisturbed end state', async workload => {
    await expectNoFailure(
      `kill points of ${workload}`,
      await callPoints([workload], {
        faults: killFaults,
        ...(workloadNamed(workload).long
          ? { chosen: managedKills, at: managedPoints }
          : { chosen: kills, at: 'all calls' }),
      }),
    );
  });

  it.each(namesOf(managedWorkloads))('%s: reaches that end state at each sampled point', async workload => {
    await expectNoFailure(
      `kill points of ${workload}`,
      await callPoints([workload], { faults: killFaults, chosen: managedKills, at: managedPoints }),
    );
  });
});

describe('a call that hangs, is rejected or whose response is lost', () => {
  it('leads to the undisturbed end state', async () => {
    const plain = { faults: answerFaults, chosen: answers, at: 'all calls' } as const;
    const managed = { ...plain, chosen: managedAnswers };
    const trials = [
      ...(await callPoints(namesOf(shortWorkloads), plain)),
      ...(await callPoints(namesOf([...longWorkloads, ...managedWorkloads]), managed)),
    ];
    await expectNoFailure('single faults', trials);
  });
});

describe('a source that loses every fifth change', () => {
  it('loses nothing permanently while the resync runs', async () => {
    await expectNoFailure('lossy sources', [
      ...trialsOf({ kind: 'lossy', resync: true }, { seeds: lossySeeds, first, of: shortWorkloads }),
      ...trialsOf({ kind: 'lossy', resync: true }, { seeds: 1, first, of: longWorkloads }),
    ]);
  });

  it.runIf(isFull)('finds the changes that are lost while the resync repairs others', async () => {
    const late = { seeds: 1, first: 857_282, of: [workloadNamed('machine-without-provider-id')] };
    await expectNoFailure('late losses', trialsOf({ kind: 'lossy', resync: true }, late));
  });

  it('has visible losses without the resync, so the comparison can fail', async () => {
    const result = await findFailure(trialsOfDelete({ kind: 'lossy', resync: false }, mostLosses));
    summarize('lossy sources without resync', result);
    expect(result.failures.length).toBeGreaterThan(0);
  });
});

describe('one of two forwarders that is killed repeatedly', () => {
  it('causes no missed deletion', async () => {
    const trials = trialsOfDelete({ kind: 'restarts' }, restarts);
    await expectNoFailure('restarting forwarder', trials);
  });
});

describe('an API server that no function reaches for half an hour', () => {
  it('makes no dead letters, and every workload reaches the undisturbed end state afterwards', async () => {
    await expectNoFailure('outages', trialsOf({ kind: 'outage' }, { seeds: 1, of: workloads }));
  });

  it('delays managed topologies in the same way', async () => {
    await expectNoFailure('outages of managed topologies', trialsOf({ kind: 'outage' }, eachManaged));
  });
});

describe('managed topologies with one permanent kind of fault', () => {
  it.each(['audit', 'clocks', 'restarts', 'absences'] as const)('%s: reach the undisturbed end state', async kind => {
    await expectNoFailure(`managed topologies, ${kind}`, trialsOf({ kind }, eachManaged));
  });

  it('lossy: reach the undisturbed end state while the resync runs', async () => {
    await expectNoFailure('managed topologies, lossy', trialsOf({ kind: 'lossy', resync: true }, eachManaged));
  });
});

describe('reconcilers that share a work queue and a function', () => {
  const shared = [workloadNamed('shared-queue'), workloadNamed('topology-shared-queue')];

  it('reach the end state of reconcilers with their own queues', async () => {
    const endOf = async (workload: string) => {
      const { end, violations, trace } = await perform(
        { workload, seed: 1, plan: { kind: 'undisturbed' } },
        { trace: true },
      );
      expect(violations).toEqual([]);
      expect(trace.lines.some(line => line.includes('all-reconcilers.1 '))).toBe(workload === 'shared-queue');
      return end;
    };
    expect(await endOf('shared-queue')).toEqual(await endOf('several'));
  });

  it('reach it under a mixture of all faults, and after an outage', async () => {
    const extent = { seeds: isFull ? 2 : 1, first, of: shared };
    await expectNoFailure('shared queue', [
      ...trialsOf({ kind: 'mixed' }, extent),
      ...trialsOf({ kind: 'outage' }, { ...extent, seeds: 1 }),
    ]);
  });
});

describe('random rollouts under a mixture of all faults', () => {
  it('keep the limits of the MachineDeployment at every step, and end', async () => {
    const of = [workloadNamed('machinedeployment-random-rollout')];
    await expectNoFailure('random rollouts', trialsOf({ kind: 'mixed' }, { seeds: isFull ? 20 : 1, first, of }));
  });
});

describe('a mixture of all faults', () => {
  it('leads to the undisturbed end state', async () => {
    const trialsOfLong = trialsOf(
      { kind: 'mixed' },
      { seeds: Math.min(seeds, managedSeeds), first, of: longWorkloads },
    );
    await expectNoFailure('mixed faults of long workloads', trialsOfLong);
    await expectNoFailure('mixed faults', trialsOf({ kind: 'mixed' }, { seeds, first, until, of: shortWorkloads }));
  });

  it('leads managed topologies to the undisturbed end state', async () => {
    const trials = trialsOf({ kind: 'mixed' }, { seeds: managedSeeds, first, of: managedWorkloads });
    await expectNoFailure('mixed faults of managed topologies', trials);
  });
});
