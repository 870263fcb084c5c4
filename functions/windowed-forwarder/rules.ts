// What the windowed forwarder may do besides watching.
import type { PolicyRule } from '../../shared/kernel/types.ts';

/** To be bound in the namespace of `CAPI_STATE_NAMESPACE` alone. */
export const stateRules: readonly PolicyRule[] = [
  {
    why: 'keeps its resource versions in one ConfigMap',
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'create', 'patch'],
  },
];
