// Who owns which fields of an object, and the repair of objects on which nobody says so: server-side apply would take what it
// should own for somebody else's, and never remove it.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
import * as z from 'zod/mini';
import { listOf, text, textOrEmpty, toRecord } from '../api/fields.ts';
import type { JsonObject } from '../api/json.ts';
import { type MergePatch, type ObjectRef, toRef, type Unstructured } from '../api/object.ts';
import { mergeDeep, nest, valueAt } from '../kernel/merge-diff.ts';
import { topologyManager } from './model/keys.ts';

const entry = z.object({
  manager: textOrEmpty,
  operation: textOrEmpty,
  subresource: text,
  apiVersion: text,
  fieldsV1: z.transform(toRecord),
});

export type ManagedFieldsEntry = z.output<typeof entry>;

const metadata = z.object({ managedFields: listOf(entry) });

/** As they are stored; none where the object was read without them. */
export function managedFieldsOf(object: Unstructured): readonly ManagedFieldsEntry[] {
  return metadata.parse(object.metadata).managedFields;
}

/** What topologies own of the object by apply, subresources apart. */
export function appliedFieldsOf(object: Unstructured): ManagedFieldsEntry['fieldsV1'] | undefined {
  return managedFieldsOf(object).find(isOwnApply)?.fieldsV1;
}

/** What the topology applied to the object itself: neither to a subresource nor in another way of writing. */
export function isOwnApply({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  return manager === topologyManager && operation === 'Apply' && (subresource ?? '') === '';
}

/** One repair: replaces all managed fields of an object at the version that was read. */
export interface ManagedFieldsRepair {
  readonly ref: ObjectRef;
  readonly resourceVersion: string;
  readonly body: MergePatch;
}

/** Written by the API server for what was there before anybody applied. */
const unknownManager = 'before-first-apply';
const nameOnly = { 'f:metadata': { 'f:name': {} } };

/** Of an object of the topology: `capi-topology` must own something of it by apply, and `before-first-apply` nothing. */
export function repairObject(object: Unstructured): ManagedFieldsRepair | undefined {
  const stored = rawEntries(object);
  if (stored.length > 0 && !stored.some(({ manager }) => manager === unknownManager)) {
    return undefined;
  }
  const kept = stored.filter(({ manager }) => manager !== unknownManager);
  const isOurs = kept.some(({ manager }) => manager === topologyManager);
  const fieldsV1 = object.kind === 'KubeadmControlPlane' ? argumentFields(object) : nameOnly;
  const ours = { manager: topologyManager, operation: 'Apply', ...toFields(object, fieldsV1) };
  return toRepair(object, isOurs ? kept : [...kept, ours]);
}

/** Of the Cluster: it is never applied, so what older releases left of `capi-topology` goes, too. */
export function repairCluster(cluster: Unstructured): ManagedFieldsRepair | undefined {
  const stored = rawEntries(cluster);
  const kept = stored.filter(({ manager }) => manager !== unknownManager && manager !== topologyManager);
  if (stored.length > 0 && kept.length === stored.length) {
    return undefined;
  }
  const anybody = { manager: 'manager', operation: 'Update', ...toFields(cluster, nameOnly) };
  return toRepair(cluster, kept.length > 0 ? kept : [anybody]);
}

/** Entries whole, with their times. */
function rawEntries({ metadata }: Unstructured): readonly Readonly<Record<string, unknown>>[] {
  const list = toRecord(metadata)['managedFields'];
  return Array.isArray(list) ? list.map(toRecord) : [];
}

function toFields({ apiVersion }: Unstructured, fieldsV1: object): object {
  return { apiVersion, fieldsType: 'FieldsV1', fieldsV1 };
}

function toRepair(object: Unstructured, managedFields: readonly object[]): ManagedFieldsRepair {
  const { resourceVersion } = object.metadata;
  return { ref: toRef(object), resourceVersion, body: { metadata: { managedFields } } };
}

/** Lists of command line arguments in a KubeadmControlPlane; their items are told apart by name and value. */
const argumentLists: readonly string[] = [
  'spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs',
  'spec.kubeadmConfigSpec.clusterConfiguration.controllerManager.extraArgs',
  'spec.kubeadmConfigSpec.clusterConfiguration.scheduler.extraArgs',
  'spec.kubeadmConfigSpec.clusterConfiguration.etcd.local.extraArgs',
  'spec.kubeadmConfigSpec.initConfiguration.nodeRegistration.kubeletExtraArgs',
  'spec.kubeadmConfigSpec.joinConfiguration.nodeRegistration.kubeletExtraArgs',
];

/** Arguments that a class does not name any more must go, so they are ours from the start. */
function argumentFields(object: Unstructured): JsonObject {
  return argumentLists.reduce<JsonObject>((fields, path) => {
    const list = valueAt(object, path);
    const keys = Array.isArray(list) ? list.map(toArgumentKey) : [];
    const items = Object.fromEntries(keys.map(key => [key, { '.': {}, 'f:name': {}, 'f:value': {} }]));
    const marked = path.split('.').map(part => `f:${part}`);
    return keys.length === 0 ? fields : mergeDeep(fields, nest(marked.join('.'), items));
  }, nameOnly);
}

function toArgumentKey(item: unknown): string {
  const { name, value } = toRecord(item);
  return `k:${JSON.stringify({ name, value })}`;
}
