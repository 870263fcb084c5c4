// The group, version and labels of all core kinds.

export const coreGroup = 'cluster.x-k8s.io';
export const coreVersion = 'v1beta2';

/** The group of ClusterResourceSets and their bindings. Its version is that of the core kinds. */
export const addonsGroup = 'addons.cluster.x-k8s.io';

/** The group of IP addresses and claims. Its version is that of the core kinds. */
export const ipamGroup = 'ipam.cluster.x-k8s.io';

/**
 * `clusterctl move` finds kinds by this label of their definitions. `clusterctl init` sets it.
 * https://cluster-api.sigs.k8s.io/clusterctl/provider-contract#labels
 */
export const movedByClusterctl = { 'clusterctl.cluster.x-k8s.io': '' } as const;

/**
 * Core kinds have no contract label. Upstream sets it on provider kinds only, and core kinds need no version look-up.
 */
export const coreLabels = { 'cluster.x-k8s.io/provider': 'cluster-api', ...movedByClusterctl } as const;
