// What the suites about the adoption of recorded states have in common.
import { type Instant, type Kubernetes, type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import type { GivenObject } from '../../cli/plan/files.ts';
import { createClusterReconciler, defaultSettings } from '../../functions/cluster/reconciler.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { fakeSigner, fakeWorkload } from '../support/fake-remote.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { SteppedClock } from '../support/stepped-clock.ts';

/** The time of everything in the recordings. */
export const recordedTime = '2026-01-01T00:00:00Z';
export const recordedAt: Instant = Date.parse(recordedTime);
/** After `minReadySeconds`. Some minutes later, the reports of long deletions differ. */
const adoptedAt: Instant = recordedAt + 60_000;

/** The kinds of the management cluster, with their apiVersion in the store. */
export function kindsIn(crds: readonly CustomResourceDefinition[]): ReadonlyMap<string, string> {
  return new Map(crds.map(({ spec }) => [spec.names.kind, `${spec.group}/${spec.versions.at(-1)?.name}`] as const));
}

/** The kinds of the workload cluster, with their apiVersion. */
export const kindsOfWorkload: ReadonlyMap<string, string> = new Map([
  ['Node', 'v1'],
  ['Pod', 'v1'],
  ['DaemonSet', 'apps/v1'],
  ['PersistentVolume', 'v1'],
  ['PodDisruptionBudget', 'policy/v1'],
  ['VolumeAttachment', 'storage.k8s.io/v1'],
]);

/** Returns the objects of the management cluster. */
export function managedObjects(objects: readonly GivenObject[]): readonly GivenObject[] {
  return objects.filter(({ kind }) => !kindsOfWorkload.has(kind));
}

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
