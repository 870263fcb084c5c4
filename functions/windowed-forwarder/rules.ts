// RBAC rules that the windowed forwarder needs in addition to its watches.
import type { PolicyRule } from '@capi-serverless/reconciler';
import { stateName } from './stored-versions.ts';

/**
 * Bind these rules only in the namespace of `CAPI_STATE_NAMESPACE`. This namespace must contain no ConfigMaps that
 * grant permissions. With a watch filter, the ConfigMap has another name.
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
