// What the suites about the adoption of recorded states have in common.
import { type Instant, type Kubernetes, type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import type { GivenObject } from '../../cli/plan/files.ts';
import { createClusterReconciler, defaultSettings } from '../../functions/cluster/reconciler.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { fakeSigner, fakeWorkload } from '../support/fake-remote.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

export const recordedAt: Instant = Date.parse('2026-01-01T00:00:00Z');
/** After `minReadySeconds`. Some minutes later, the reports of long deletions differ. */
const adoptedAt: Instant = recordedAt + 60_000;

/** The kinds of the workload cluster, with their apiVersion. */
export const kindsOfWorkload: ReadonlyMap<string, string> = new Map([
  ['Node', 'v1'],
  ['Pod', 'v1'],
  ['DaemonSet', 'apps/v1'],
  ['PersistentVolume', 'v1'],
  ['PodDisruptionBudget', 'policy/v1'],
  ['VolumeAttachment', 'storage.k8s.io/v1'],
]);

/** The context of all reconciles of one file. */
export const adopting = {
  clock: new SteppedClock(adoptedAt),
  signal: new AbortController().signal,
  log: aRecordingLog(),
  watchFilter: '',
};

/** The recordings omit the status of Clusters. Their reconciler restores it. */
export async function restoreClusters(kubernetes: Kubernetes, objects: readonly GivenObject[]): Promise<void> {
  const reconciler = createClusterReconciler({ ...defaultSettings, honorsDeleteHook: true });
  const ports = { signer: fakeSigner(), workload: fakeWorkload() };
  for (const cluster of objects.filter(({ kind }) => kind === 'Cluster')) {
    await reconcile({ ...adopting, reconciler, kubernetes, ports }, refOf(cluster));
  }
}

export function refOf({ apiVersion, kind, metadata }: GivenObject): ObjectRef {
  return toRef({ apiVersion, kind, metadata: { uid: '', resourceVersion: '', ...metadata } });
}
