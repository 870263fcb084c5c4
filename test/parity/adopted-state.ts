// What the suites about the adoption of recorded states have in common.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Instant,
  type Intent,
  type Kubernetes,
  type ObjectRef,
  toRecord,
  toRef,
} from '@capi-serverless/apimachinery';
import { type ApiCore, createApiCore } from '@capi-serverless/apiserver/core';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import type { GivenObject } from '../../cli/plan/files.ts';
import { createClusterReconciler, defaultSettings } from '../../functions/cluster/reconciler.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { createMemoryKubernetes } from '../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createMemoryWorkload, type MemoryWorkload } from '../../shared/kubernetes/memory/memory-workload.ts';
import { accepted } from '../support/accepted.ts';
import { fakeSigner, fakeWorkload } from '../support/fake-remote.ts';
import { aRecordingLog } from '../support/kernel.ts';
import { countingIds } from '../support/memory-api.ts';
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
    await reconcile({ ...adopting, reconciler, kubernetes, ports }, toRef(cluster));
  }
}

const clusterScoped: readonly string[] = ['Node', 'PersistentVolume', 'VolumeAttachment'];

/** The expected writes of the first reconciles of a state: their number, and the reason why they are correct. */
const knownWritesSchema = z.array(
  z.object({ scenario: z.string(), snapshot: z.string(), writes: z.number(), reason: z.string() }),
);
type KnownWrites = z.infer<typeof knownWritesSchema>;

/** Reads a file of this folder. */
export function readKnownWrites(file: string): KnownWrites {
  return knownWritesSchema.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8')));
}

interface State {
  readonly scenario: string;
  readonly name: string;
}

/** Expects the number of writes that is known for this state, or none. */
export function expectKnownWrites(known: KnownWrites, { scenario, name }: State, writes: readonly string[]): void {
  const found = known.find(exception => exception.scenario === scenario && exception.snapshot === name);
  expect(writes.length, writes.join('\n')).toBe(found?.writes ?? 0);
}

/** Returns the entries whose states are not among these. */
export function withoutState(known: KnownWrites, states: readonly State[]): KnownWrites {
  return known.filter(
    ({ scenario, snapshot }) => !states.some(state => state.scenario === scenario && state.name === snapshot),
  );
}

export interface RestoredWorkload extends Pick<MemoryWorkload, 'api' | 'writers'> {
  /** Returns one line per write since it was restored. */
  writes(): readonly string[];
}

/** A workload cluster in memory with these objects. Nodes have the recorded uids, because statuses name them. */
export async function restoreWorkload(objects: readonly GivenObject[]): Promise<RestoredWorkload> {
  const counting = countingIds();
  const uids = new Map(objects.map(({ kind, metadata }) => [`${kind}/${metadata.name}`, metadata.uid]));
  const ids: typeof counting = {
    ...counting,
    uid: of => (of.kind === 'Node' ? uids.get(`Node/${of.name}`) : undefined) ?? counting.uid(of),
  };
  const core = createApiCore({ now: () => recordedAt, ids, kinds: workloadKinds });
  await restoreObjects(core, objects);
  const before = core.resourceVersion();
  const { api, writers } = createMemoryWorkload({ clock: adopting.clock, ids, coreOf: () => core });
  return {
    api,
    writers,
    writes() {
      const changed = Number(core.resourceVersion()) - Number(before);
      return Array.from({ length: changed }, () => 'a write to the workload cluster');
    },
  };
}

async function restoreObjects(core: ApiCore, objects: readonly GivenObject[]): Promise<void> {
  const kubernetes = createMemoryKubernetes(core);
  const namespaces = new Set(objects.map(({ metadata: { namespace = '' } }) => namespace));
  for (const name of namespaces) {
    const created = await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    expect(created.ok || created.failure.reason).toBeOneOf([true, 'AlreadyExists']);
  }
  for (const { status, ...object } of objects) {
    const { name, namespace = '', labels, annotations, ownerReferences, deletionTimestamp } = object.metadata;
    const scope = clusterScoped.includes(object.kind) ? {} : { namespace };
    const metadata = JSON.parse(JSON.stringify({ name, ...scope, labels, annotations, ownerReferences }));
    const intent: Intent = { ...object, metadata };
    const ref: ObjectRef = { apiVersion: object.apiVersion, kind: object.kind, name, ...scope };
    accepted(await kubernetes.create(intent));
    if (status !== undefined) {
      accepted(await kubernetes.mergePatch(ref, { status: toRecord(status) }, { subresource: 'status' }));
    }
    if (deletionTimestamp !== undefined) {
      accepted(await kubernetes.delete(ref));
    }
  }
}
