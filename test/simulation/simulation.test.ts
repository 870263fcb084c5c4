// The whole system in virtual time, disturbed in every way we know. Without settings a taste of it that is over in seconds;
// CAPI_SIMULATION_SEEDS (at least so many mixtures) and CAPI_SIMULATION_SECONDS (as long as that) ask for more.
import { afterAll, describe, expect, it } from 'vitest';
import { type Campaign, callPoints, campaign, endWorkers, seeds, tell } from './campaign.ts';
import { answerFaults, killFaults, perform, type Trial } from './trial.ts';
import { managedWorkloads, workloads } from './workloads/index.ts';

const least = Number(process.env['CAPI_SIMULATION_SEEDS'] ?? 30);
const until = performance.now() + 1000 * Number(process.env['CAPI_SIMULATION_SECONDS'] ?? 0);
const isTaste = process.env['CAPI_SIMULATION_SEEDS'] === undefined;
/** Every so many kill points; all of them but for a taste. */
const step = isTaste ? 131 : 1;
/** Of single faults that are no kills; odd, so that every kind has its turn. */
const answerStep = isTaste ? 1999 : 47;
/** The same for managed topologies, whose runs are long; CAPI_SIMULATION_MANAGED=all leaves nothing out. */
const leavesNothingOut = process.env['CAPI_SIMULATION_MANAGED'] === 'all';
const managedStep = leavesNothingOut ? 1 : isTaste ? 499 : 31;
const managedAnswerStep = leavesNothingOut ? 23 : isTaste ? 19_999 : 997;
const managedPoints = leavesNothingOut ? 'all calls' : 'writes';
const managedSeeds = leavesNothingOut ? least : isTaste ? 10 : 200;
const lossySeeds = isTaste ? 8 : 200;

function trialsOf(workload: string, plan: Trial['plan']): readonly Trial[] {
  return Array.from({ length: lossySeeds }, (_, index) => ({ workload, seed: index + 1, plan }));
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
  expect(tell(result)).toBe('');
  expect(result.judged).toBeGreaterThan(0);
}

afterAll(endWorkers);

describe('a run', () => {
  it('is the same for the same seed, line by line, and another for another', async () => {
    const hashOf = async (seed: number): Promise<string> =>
      (await perform({ workload: 'create', seed, plan: { kind: 'mixed' } }, { trace: true })).trace.hash();
    expect(await hashOf(1)).toBe(await hashOf(1));
    expect(await hashOf(2)).not.toBe(await hashOf(1));
  });
});

describe('a process that is killed at any call, before it is sent or after it took effect', () => {
  it.each(workloads.map(({ name }) => name))('%s: ends as if nothing had happened', async workload => {
    await expectNoFailure(
      `kill points of ${workload}`,
      await callPoints(workload, { faults: killFaults, step, at: 'all calls' }),
    );
  });

  it.each(managedWorkloads.map(({ name }) => name))('%s: ends so, too, at every point of a sample', async workload => {
    await expectNoFailure(
      `kill points of ${workload}`,
      await callPoints(workload, { faults: killFaults, step: managedStep, at: managedPoints }),
    );
  });
});

describe('a call that hangs, is refused or whose answer is lost', () => {
  it('ends as if nothing had happened', async () => {
    const trials = await Promise.all([
      ...workloads.map(({ name }) => callPoints(name, { faults: answerFaults, step: answerStep, at: 'all calls' })),
      ...managedWorkloads.map(({ name }) =>
        callPoints(name, { faults: answerFaults, step: managedAnswerStep, at: 'all calls' }),
      ),
    ]);
    await expectNoFailure('single faults', trials.flat());
  });
});

describe('a source that loses every fifth change', () => {
  it('loses nothing for good while the resync runs', async () => {
    await expectNoFailure('lossy sources', seeds({ kind: 'lossy', resync: true }, { least: lossySeeds, until: 0 }));
  });

  it('shows its losses without the resync: the judgement can fail', async () => {
    const result = await campaign(trialsOf('delete', { kind: 'lossy', resync: false }));
    summarize('lossy sources without resync', result);
    expect(result.failures.length).toBeGreaterThan(0);
  });
});

describe('one of two forwarders that is killed again and again', () => {
  it('costs no change of a deletion', async () => {
    const trials = trialsOf('delete', { kind: 'restarts' });
    await expectNoFailure('restarting forwarder', trials);
  });
});

describe('managed topologies when one thing goes wrong all the time', () => {
  it.each(['audit', 'clocks', 'restarts', 'absences'] as const)('%s: end as the undisturbed run', async kind => {
    const extent = { least: isTaste ? 2 : managedWorkloads.length, until: 0, of: managedWorkloads };
    await expectNoFailure(`managed topologies, ${kind}`, seeds({ kind }, extent));
  });

  it('lossy: end as the undisturbed run while the resync runs', async () => {
    const extent = { least: isTaste ? 2 : managedWorkloads.length, until: 0, of: managedWorkloads };
    await expectNoFailure('managed topologies, lossy', seeds({ kind: 'lossy', resync: true }, extent));
  });
});

describe('a mixture of all faults', () => {
  it('ends as the undisturbed run', async () => {
    await expectNoFailure('mixed faults', seeds({ kind: 'mixed' }, { least, until }));
  });

  it('ends managed topologies as the undisturbed run', async () => {
    const trials = seeds({ kind: 'mixed' }, { least: managedSeeds, until: 0, of: managedWorkloads });
    await expectNoFailure('mixed faults of managed topologies', trials);
  });
});
