// What the definitions of the core kinds have in common.

export const coreGroup = 'cluster.x-k8s.io';
export const coreVersion = 'v1beta2';

/** `<group>/<contract>: <versions>` tells which versions of the kind follow which contract. */
export const coreLabels = {
  'cluster.x-k8s.io/provider': 'cluster-api',
  'cluster.x-k8s.io/v1beta2': 'v1beta2',
} as const;
