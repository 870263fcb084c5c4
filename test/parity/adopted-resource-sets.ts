// The recorded ClusterResourceSets and their bindings, and their reconciles. As in the recordings, the ConfigMaps of the
// workload cluster are those of the management cluster.
import { compareText, isJsonObject, type Kubernetes, toRecord, toRef } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import type { GivenObject } from '../../cli/plan/files.ts';
import { clusterResourceSetReconciler } from '../../functions/clusterresourceset/reconciler.ts';
import { createBindingReconciler } from '../../functions/clusterresourcesetbinding/reconciler.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { dataDigest } from '../../shared/workload/data-digest.ts';
import { createFaultyKubernetes } from '../support/faulty-kubernetes.ts';
import { type AdoptedSnapshot, readAdoptedSnapshots } from './adopted-snapshots.ts';
import {
  adopting,
  expectKnownWrites,
  kindsIn,
  readKnownWrites,
  restoreClusters,
  restoreWorkload,
} from './adopted-state.ts';

export const resourceSetExceptions = readKnownWrites('resource-set-adoption-exceptions.json');

const bindingKind = 'ClusterResourceSetBinding';
const adoptedKinds: readonly string[] = ['ClusterResourceSet', bindingKind];

/**
 * Returns the settled states with a ClusterResourceSet or a binding. Each one has a namespace with this prefix. The data
 * of Secrets are text.
 */
export function readResourceSetSnapshots(
  crds: readonly CustomResourceDefinition[],
  prefix = '',
): readonly AdoptedSnapshot[] {
  return readAdoptedSnapshots({ kinds: adoptedKinds, apiVersions: kindsIn(crds), prefix, withWorkload: true }).map(
    snapshot => ({ ...snapshot, objects: withDigests(snapshot.objects.map(withData)) }),
  );
}

/** Scenarios write the data of Secrets as `stringData`. Recordings omit them. */
function withData({ stringData, ...object }: GivenObject): GivenObject {
  return stringData === undefined ? object : { ...object, data: stringData };
}

const unknownDigest = '<sha256>';

/** Recordings omit the digests of bindings. They become those of the present data. */
function withDigests(objects: readonly GivenObject[]): readonly GivenObject[] {
  const digests = new Map(
    objects.flatMap(({ kind, metadata, data }) =>
      data === undefined ? [] : [[`${kind}/${metadata.name}`, digestOf(toRecord(data))] as const],
    ),
  );
  const restore = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(restore);
    }
    if (!isJsonObject(value)) {
      return value;
    }
    const restored = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, restore(inner)]));
    return value['hash'] === unknownDigest
      ? { ...restored, hash: digests.get(`${value['kind']}/${value['name']}`) ?? unknownDigest }
      : restored;
  };
  return objects.map(object => (object.kind === bindingKind ? { ...object, spec: restore(object['spec']) } : object));
}

function digestOf(data: Readonly<Record<string, unknown>>): string {
  const values = Object.entries(data).toSorted(([a], [b]) => compareText(a, b));
  return dataDigest(values.map(([, value]) => Buffer.from(String(value))));
}

/** Reconciles the objects of a restored state once. Expects no write except those of the exceptions. */
export async function expectAdoptedResourceSets(kubernetes: Kubernetes, snapshot: AdoptedSnapshot): Promise<void> {
  const { objects } = snapshot;
  await restoreClusters(kubernetes, objects);
  const recorded = createFaultyKubernetes(kubernetes);
  const workload = await restoreWorkload(objects.filter(({ kind }) => kind === 'ConfigMap'));
  const context = { ...adopting, kubernetes: recorded.kubernetes, workload: workload.writers };
  for (const object of objects.filter(({ kind }) => adoptedKinds.includes(kind))) {
    const ref = toRef(object);
    const reconciled = await (object.kind === bindingKind
      ? reconcile({ ...context, reconciler: createBindingReconciler(true), ports: {} }, ref)
      : reconcile({ ...context, reconciler: clusterResourceSetReconciler, ports: { workloadApi: workload.api } }, ref));
    expect(reconciled.passes).toBeGreaterThan(0);
    expect(reconciled.defect).toBeUndefined();
  }
  expectKnownWrites(resourceSetExceptions, snapshot, [...recorded.writes, ...workload.writes()]);
}
