// Group, version and labels that the core kinds share.

export const coreGroup = 'cluster.x-k8s.io';
export const coreVersion = 'v1beta2';

/** Without a contract label: upstream sets it on provider kinds only, and core kinds need no version look-up. */
export const coreLabels = { 'cluster.x-k8s.io/provider': 'cluster-api' } as const;
