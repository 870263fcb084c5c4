// The field owners of an object, and the repair of objects without managed fields. Without the repair, server-side
// apply would assign the topology's fields to another manager and never remove them.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management

import {
  type JsonObject,
  type MergePatch,
  mergeDeep,
  nest,
  type ObjectRef,
  toRecord,
  toRef,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { listOf, text, textOrEmpty } from '../api/fields.ts';
import { topologyManager } from './model/keys.ts';

const entry = z.object({
  manager: textOrEmpty,
  operation: textOrEmpty,
  subresource: text,
  apiVersion: text,
  fieldsV1: z.transform(toRecord),
});

type ManagedFieldsEntry = z.output<typeof entry>;

const metadata = z.object({ managedFields: listOf(entry) });

/** The stored managed fields. Empty if the object was read without them. */
export function managedFieldsOf(object: Unstructured): readonly ManagedFieldsEntry[] {
  return metadata.parse(object.metadata).managedFields;
}

/**
 * Returns true if the topology applied this entry to the object itself. Entries for subresources and updates do not
 * match.
 */
export function isOwnApply({ manager, operation, subresource }: ManagedFieldsEntry): boolean {
  return manager === topologyManager && operation === 'Apply' && (subresource ?? '') === '';
}

/** One repair. It replaces all managed fields of an object at the version that was read. */
export interface ManagedFieldsRepair {
  readonly ref: ObjectRef;
  readonly resourceVersion: string;
  readonly body: MergePatch;
}

/** The manager that the API server records for fields older than the first apply. */
const unknownManager = 'before-first-apply';
const nameOnly = { 'f:metadata': { 'f:name': {} } };

/**
 * Returns the repair of an object of the topology. `capi-topology` must own a field by apply, and `before-first-apply`
 * must own none.
 */
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

/**
 * Returns the repair of the Cluster. It is never applied, so entries of `capi-topology` from older releases are removed
 * as well.
 */
export function repairCluster(cluster: Unstructured): ManagedFieldsRepair | undefined {
  const stored = rawEntries(cluster);
  const kept = stored.filter(({ manager }) => manager !== unknownManager && manager !== topologyManager);
  if (stored.length > 0 && kept.length === stored.length) {
    return undefined;
  }
  const unnamed = { manager: 'manager', operation: 'Update', ...toFields(cluster, nameOnly) };
  return toRepair(cluster, kept.length > 0 ? kept : [unnamed]);
}

/** Returns the complete entries with their times. */
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

/** Lists of command line arguments in a KubeadmControlPlane. Name and value identify an item. */
const argumentLists: readonly string[] = [
  'spec.kubeadmConfigSpec.clusterConfiguration.apiServer.extraArgs',
  'spec.kubeadmConfigSpec.clusterConfiguration.controllerManager.extraArgs',
  'spec.kubeadmConfigSpec.clusterConfiguration.scheduler.extraArgs',
  'spec.kubeadmConfigSpec.clusterConfiguration.etcd.local.extraArgs',
  'spec.kubeadmConfigSpec.initConfiguration.nodeRegistration.kubeletExtraArgs',
  'spec.kubeadmConfigSpec.joinConfiguration.nodeRegistration.kubeletExtraArgs',
];

/** Arguments that a class no longer has must be removed, so the topology owns them from the start. */
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
