// The kill points of every function, in virtual time (invariant I4). With CAPI_TEST_EXTENT=full those of a sixth of the
// invocations, another sixth for each commit, and with CAPI_SIMULATION_KILLS=all every one. Otherwise a small sample.
import { afterAll, describe, expect, it } from 'vitest';
import { commitSeed } from '../support/commit-seed.ts';
import { isFull } from '../support/extent.ts';
import { describeKills, examineAll, sum } from './kills/campaign.ts';
import { examine } from './kills/examine.ts';
import { recordInvocations } from './kills/recorded.ts';
import type { HandlerDependencies, SimulatedReconciler } from './system/functions.ts';
import { usualReconcilers } from './system/reconcilers.ts';
import { endWorkers } from './workers.ts';
import { managedWorkloads, workloadNamed, workloads } from './workloads/found.ts';
import { sampleOf } from './workloads/sample.ts';
import { clusterRef } from './workloads/workload.ts';

const fullSample =
  process.env['CAPI_SIMULATION_KILLS'] === 'all' ? { step: 1, seed: 0 } : { step: 9, seed: commitSeed() };
/** The invocations of each function that are tested in each workload. */
const sample = isFull ? fullSample : { step: 20, seed: 0 };

afterAll(endWorkers);

describe('a function that is killed before any call is sent, or after the call took effect', () => {
  it('finishes the work when it is invoked again, as if it had not been killed', async () => {
    const reports = await examineAll(
      sampleOf([...workloads, ...managedWorkloads])
        .filter(({ notKilledAlone }) => notKilledAlone === undefined)
        .map(({ name }) => name),
      sample,
    );
    console.log([...reports, sum('all workloads', reports)].map(describeKills).join('\n'));
    expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
    expect(reports.filter(({ points }) => points === 0)).toEqual([]);
  });
});

describe('a function that takes its first write for the whole work', () => {
  /** The reconciler marks the Cluster first. It does nothing for a marked Cluster. */
  const forgetful: readonly SimulatedReconciler[] = usualReconcilers.map(reconciler =>
    reconciler.declaration.name === 'cluster'
      ? {
          ...reconciler,
          load(around, settings) {
            const serve = reconciler.load(around, settings);
            return async (event, context) =>
              (await isMarked(around)) ? { batchItemFailures: [] } : serve(event, context);
          },
        }
      : reconciler,
  );

  async function isMarked({ kubernetes }: HandlerDependencies): Promise<boolean> {
    const read = await kubernetes.get(clusterRef());
    if (!read.ok || read.value.metadata.annotations?.['begun'] !== undefined) {
      return read.ok;
    }
    await kubernetes.mergePatch(clusterRef(), { metadata: { annotations: { begun: '' } } });
    return false;
  }

  it('is found', async () => {
    const workload = workloadNamed('create');
    const [first] = (await recordInvocations(workload)).filter(({ queue }) => queue.startsWith('work-cluster'));
    if (first === undefined) {
      throw new Error('The workload reconciles no Cluster');
    }
    const { failures, points } = await examine(first, { reconcilers: forgetful, workload });
    expect(points).toBeGreaterThan(20);
    expect(failures.map(({ at }) => at)).toContain('patch Cluster ns/c1');
  });
});
