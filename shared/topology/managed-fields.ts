// The repair of topology objects without managed fields.
import { type JsonObject, mergeDeep, nest, toRecord, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import {
  type ManagedFieldsRepair,
  nameOnly,
  rawEntries,
  repairManagedFields,
  toFields,
  toRepair,
  unknownManager,
} from '../server-side-apply/managed-fields.ts';
import { topologyManager } from './model/keys.ts';

/**
 * Returns the repair of an object of the topology. `capi-topology` must own a field by apply, and `before-first-apply`
 * must own none.
 */
export function repairObject(object: Unstructured): ManagedFieldsRepair | undefined {
  const fields = object.kind === 'KubeadmControlPlane' ? argumentFields(object) : nameOnly;
  return repairManagedFields(object, topologyManager, fields);
}

/**
 * Returns the repair of the Cluster. It is never applied, so entries of `capi-topology` from older releases are removed
 * as well.
 */
export function repairCluster(cluster: Unstructured): ManagedFieldsRepair | undefined {
  const stored = rawEntries(cluster);
  const kept = stored.filter(entry => entry['manager'] !== unknownManager && entry['manager'] !== topologyManager);
  if (stored.length > 0 && kept.length === stored.length) {
    return undefined;
  }
  const unnamed = { manager: 'manager', operation: 'Update', ...toFields(cluster, nameOnly) };
  return toRepair(cluster, kept.length > 0 ? kept : [unnamed]);
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
