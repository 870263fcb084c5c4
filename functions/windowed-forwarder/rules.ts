// What the windowed forwarder may do besides watching.
import type { PolicyRule } from '../../shared/kernel/types.ts';
import { stateName } from './stored-versions.ts';

/**
 * To be bound in the namespace of `CAPI_STATE_NAMESPACE` alone, which may hold ConfigMaps of others that decide who may do
 * what. With a watch filter the ConfigMap has another name.
 */
export const stateRules: readonly PolicyRule[] = [
  {
    why: 'keeps its resource versions in one ConfigMap',
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [stateName],
    verbs: ['get', 'patch'],
  },
  {
    why: 'creates it; a creation cannot be limited to a name',
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['create'],
  },
];
