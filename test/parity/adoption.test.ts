// The first reconcile writes nothing to Clusters and ClusterClasses that upstream's controllers have reconciled.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Instant, type Kubernetes, type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import { beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { seed } from '../../cli/plan/files.ts';
import { createClusterReconciler, defaultSettings } from '../../functions/cluster/reconciler.ts';
import { createClusterClassReconciler } from '../../functions/clusterclass/reconciler.ts';
import { type ReconcileContext, reconcile } from '../../shared/kernel/reconcile.ts';
import type { Reconciled } from '../../shared/kernel/reconciled.ts';
import { fakeHooks } from '../support/fake-hooks.ts';
import { fakeSigner, fakeWorkload, probeFailed } from '../support/fake-remote.ts';
import { createFaultyKubernetes } from '../support/faulty-kubernetes.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { SteppedClock } from '../support/stepped-clock.ts';
import { kindsIn } from './adopted-state.ts';
import { describeCorpus, readCorpusCrds, readResult, readScenarios } from './corpus.ts';
import { type RecordedSnapshot, toSettledSnapshots } from './recorded-state.ts';

const recordedAt: Instant = Date.parse('2026-01-01T00:00:00Z');
const adoptedAt: Instant = Date.parse('2026-01-02T00:00:00Z');

/** The settings of the recordings, with the feature gates for blocking hooks and runtime extensions. */
const reconcilers: Readonly<Record<string, (context: ForOne, ref: ObjectRef) => Promise<Reconciled>>> = {
  Cluster: (context, ref) => {
    const reconciler = createClusterReconciler({ ...defaultSettings, honorsDeleteHook: true });
    const ports = { signer: fakeSigner(), workload: fakeWorkload(probeFailed()) };
    return reconcile({ ...context, reconciler, ports }, ref);
  },
  ClusterClass: (context, ref) => {
    const reconciler = createClusterClassReconciler({ callsExtensions: true });
    return reconcile({ ...context, reconciler, ports: { hooks: fakeHooks() } }, ref);
  },
};

type ForOne = Omit<ReconcileContext<object, object>, 'reconciler' | 'ports'>;

/** The expected writes of the first reconcile: their number, and the reason why they are correct. */
const exceptionSchema = z.array(
  z.object({ scenario: z.string(), snapshot: z.string(), writes: z.number(), reason: z.string() }),
);
const exceptions = exceptionSchema.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'adoption-exceptions.json'), 'utf8')),
);

describeCorpus('adoption of what upstream left', () => {
  const crds = readCorpusCrds();
  const apiVersions = kindsIn(crds);
  const snapshots = readScenarios()
    .filter(({ folder }) => !folder.startsWith('machines'))
    .flatMap(scenario =>
      toSettledSnapshots(readResult(scenario), {
        apiVersions,
        namespace: scenario.id,
        time: '2026-01-01T00:00:00Z',
      }).map(snapshot => ({ scenario: scenario.folder, ...snapshot })),
    );
  let kubernetes: Kubernetes;

  // All snapshots use one server, because parsing the definitions takes longer than a reconcile.
  beforeAll(() => {
    ({ kubernetes } = seed([...crds, ...snapshots.flatMap(({ objects }) => objects)], recordedAt));
  });

  it.each(snapshotsWith('Cluster'))('$scenario, $name', async ({ scenario, name, objects }) => {
    const known = exceptions.find(exception => exception.scenario === scenario && exception.snapshot === name);
    const writes = await adopt('Cluster', objects);
    expect(writes.length, writes.join('\n')).toBe(known?.writes ?? 0);
  });

  it.each(snapshotsWith('ClusterClass'))('the class of $scenario, $name', async ({ objects }) => {
    expect(await adopt('ClusterClass', objects)).toEqual([]);
  });

  function snapshotsWith(wanted: string) {
    return snapshots.filter(({ objects }) => objects.some(({ kind }) => kind === wanted));
  }

  /** Returns one line per write in the first reconcile of each object of this kind. */
  async function adopt(wanted: string, objects: RecordedSnapshot['objects']): Promise<readonly string[]> {
    const recorded = createFaultyKubernetes(kubernetes);
    for (const { apiVersion, kind, metadata } of objects.filter(object => object.kind === wanted)) {
      const reconciled = await reconcilers[wanted]?.(
        {
          kubernetes: recorded.kubernetes,
          clock: new SteppedClock(adoptedAt),
          signal: new AbortController().signal,
          log: aRecordingLog(),
          watchFilter: '',
        },
        toRef({ apiVersion, kind, metadata: { uid: '', resourceVersion: '', ...metadata } }),
      );
      expect(reconciled?.passes).toBeGreaterThan(0);
      expect(reconciled?.defect).toBeUndefined();
    }
    return recorded.writes;
  }
});
