// Permissions that several reconcilers need for the same reason.
import type { PolicyRule } from '@capi-serverless/reconciler';

export const contractVersionsRule: PolicyRule = {
  apiGroups: ['apiextensions.k8s.io'],
  resources: ['customresourcedefinitions'],
  verbs: ['get'],
  why: 'reads provider contract versions from CRD labels (metadata only)',
};

export const eventsRule: PolicyRule = {
  apiGroups: [''],
  resources: ['events'],
  verbs: ['create'],
  why: 'records events about changes',
};

/** For reconcilers that call extensions. `why`: which extensions they find. */
export function extensionRules(gate: PolicyRule['gate'] & string, why: string): readonly PolicyRule[] {
  return [
    { apiGroups: ['runtime.cluster.x-k8s.io'], resources: ['extensionconfigs'], verbs: ['list'], gate, why },
    {
      apiGroups: [''],
      resources: ['namespaces'],
      verbs: ['get'],
      gate,
      why: 'reads the labels by which an ExtensionConfig selects namespaces (metadata only)',
    },
  ];
}
