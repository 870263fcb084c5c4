// The kinds that upstream's webhooks review, and the paths of their hooks.

export interface AdmittedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The kind has a default hook besides its validation hook. */
  readonly hasDefaults: boolean;
}

const core = 'cluster.x-k8s.io';
const addons = `addons.${core}`;
const ipam = `ipam.${core}`;
const runtime = `runtime.${core}`;

export const admittedKinds: readonly AdmittedKind[] = [
  { group: core, kind: 'Cluster', plural: 'clusters', hasDefaults: true },
  { group: core, kind: 'ClusterClass', plural: 'clusterclasses', hasDefaults: false },
  { group: core, kind: 'Machine', plural: 'machines', hasDefaults: true },
  { group: core, kind: 'MachineSet', plural: 'machinesets', hasDefaults: true },
  { group: core, kind: 'MachineDeployment', plural: 'machinedeployments', hasDefaults: true },
  { group: core, kind: 'MachinePool', plural: 'machinepools', hasDefaults: true },
  { group: core, kind: 'MachineHealthCheck', plural: 'machinehealthchecks', hasDefaults: true },
  { group: core, kind: 'MachineDrainRule', plural: 'machinedrainrules', hasDefaults: false },
  { group: addons, kind: 'ClusterResourceSet', plural: 'clusterresourcesets', hasDefaults: true },
  {
    ...{ group: addons, kind: 'ClusterResourceSetBinding', plural: 'clusterresourcesetbindings' },
    ...{ hasDefaults: false },
  },
  { group: ipam, kind: 'IPAddress', plural: 'ipaddresses', hasDefaults: false },
  { group: ipam, kind: 'IPAddressClaim', plural: 'ipaddressclaims', hasDefaults: false },
  { group: runtime, kind: 'ExtensionConfig', plural: 'extensionconfigs', hasDefaults: true },
];

/** Returns a path as `/mutate-cluster-x-k8s-io-v1beta2-machine`. */
export function hookPath(hook: 'mutate' | 'validate', { group, kind }: AdmittedKind): string {
  return `/${hook}-${group.replaceAll('.', '-')}-v1beta2-${kind.toLowerCase()}`;
}
