// What the definitions of the core kinds have in common.

export const coreGroup = 'cluster.x-k8s.io';
export const coreVersion = 'v1beta2';

/** No contract label: upstream puts those on provider kinds only, and nobody looks up a core kind's version by label. */
export const coreLabels = { 'cluster.x-k8s.io/provider': 'cluster-api' } as const;
