// The webhooks of Cluster API: their kinds, operations, names and paths.

export interface AdmittedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The kind has a default hook besides its validation hook. */
  readonly hasDefaults: boolean;
  /** The validation hook is also called for deletions. */
  readonly checksDeletes: boolean;
}

export type HookKind = 'mutate' | 'validate';

const core = 'cluster.x-k8s.io';
const addons = `addons.${core}`;
const ipam = `ipam.${core}`;
const runtime = `runtime.${core}`;

/** The version in which hooks receive objects. */
export const admittedVersion = 'v1beta2';

/**
 * The match condition of hooks and policies. Finalizers of an object that is being deleted can be removed while nothing
 * answers, and although the object is no longer valid. The stored object is read, because an update need not repeat the
 * time of the deletion.
 */
export const notBeingDeleted = {
  name: 'not-being-deleted',
  expression: 'request.operation != "UPDATE" || !has(oldObject.metadata.deletionTimestamp)',
} as const;

export const admittedKinds: readonly AdmittedKind[] = [
  { group: core, kind: 'Cluster', plural: 'clusters', hasDefaults: true, checksDeletes: true },
  { group: core, kind: 'ClusterClass', plural: 'clusterclasses', hasDefaults: false, checksDeletes: true },
  { group: core, kind: 'Machine', plural: 'machines', hasDefaults: true, checksDeletes: false },
  { group: core, kind: 'MachineSet', plural: 'machinesets', hasDefaults: true, checksDeletes: false },
  { group: core, kind: 'MachineDeployment', plural: 'machinedeployments', hasDefaults: true, checksDeletes: false },
  { group: core, kind: 'MachinePool', plural: 'machinepools', hasDefaults: true, checksDeletes: false },
  { group: core, kind: 'MachineHealthCheck', plural: 'machinehealthchecks', hasDefaults: true, checksDeletes: false },
  { group: core, kind: 'MachineDrainRule', plural: 'machinedrainrules', hasDefaults: false, checksDeletes: false },
  { group: addons, kind: 'ClusterResourceSet', plural: 'clusterresourcesets', hasDefaults: true, checksDeletes: false },
  {
    ...{ group: addons, kind: 'ClusterResourceSetBinding', plural: 'clusterresourcesetbindings' },
    ...{ hasDefaults: false, checksDeletes: false },
  },
  { group: ipam, kind: 'IPAddress', plural: 'ipaddresses', hasDefaults: false, checksDeletes: true },
  { group: ipam, kind: 'IPAddressClaim', plural: 'ipaddressclaims', hasDefaults: false, checksDeletes: true },
  { group: runtime, kind: 'ExtensionConfig', plural: 'extensionconfigs', hasDefaults: true, checksDeletes: false },
];

/** Returns a path as `/mutate-cluster-x-k8s-io-v1beta2-machine`. */
export function hookPath(hook: HookKind, { group, kind }: Pick<AdmittedKind, 'group' | 'kind'>): string {
  return `/${hook}-${group.replaceAll('.', '-')}-${admittedVersion}-${kind.toLowerCase()}`;
}

/** Returns the name of a hook in its configuration. */
export function hookName(hook: HookKind, { group, kind }: Pick<AdmittedKind, 'group' | 'kind'>): string {
  const isDefault = hook === 'mutate';
  // The default hook of ExtensionConfigs has the group of the addons in its name, as in upstream.
  const named = isDefault && kind === 'ExtensionConfig' ? `runtime.${addons}` : group;
  return `${isDefault ? 'default' : 'validation'}.${kind.toLowerCase()}.${named}`;
}

/** Returns `undefined` for the path of no hook. */
export function hookAt(path: string): { readonly hook: HookKind; readonly of: AdmittedKind } | undefined {
  const hook = path.startsWith('/mutate-') ? 'mutate' : 'validate';
  const of = admittedKinds.find(kind => hookPath(hook, kind) === path);
  return of === undefined || (hook === 'mutate' && !of.hasDefaults) ? undefined : { hook, of };
}
