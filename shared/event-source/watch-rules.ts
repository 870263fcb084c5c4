// The RBAC rules of a process that watches the kinds of these declarations. Pure.

import { pluralOf } from '@capi-serverless/apimachinery';
import type { Declaration, PolicyRule } from '@capi-serverless/reconciler';
import { defaultProviderGroups } from '../config/setting-defaults.ts';
import { toWatchSet } from './watch-set.ts';

/** The rule for every process that creates or validates keys, because a key contains the management cluster. */
export const identityRule: PolicyRule = {
  why: 'identifies the management cluster by the uid of kube-system, unless CAPI_MANAGEMENT_CLUSTER is set',
  apiGroups: [''],
  resources: ['namespaces'],
  resourceNames: ['kube-system'],
  verbs: ['get'],
};

/**
 * Returns one rule per group of declared kinds. Referenced kinds need two more rules: for the provider groups and for
 * CRDs. A provider with a group of its own needs its own rule.
 */
export function toWatchRules(
  declarations: readonly Declaration[],
  { verbs, why } = { verbs: ['list', 'watch'], why: 'sends changes' },
): readonly PolicyRule[] {
  const { declared, referrers } = toWatchSet(declarations);
  const byGroup = Map.groupBy(declared, ({ kind }) => kind.group);
  const own = [...byGroup].map(([group, targets]) => ({
    why,
    apiGroups: [group],
    resources: targets.map(({ kind }) => pluralOf(kind.kind)),
    verbs,
  }));
  return referrers.length === 0
    ? [...own, identityRule]
    : [
        ...own,
        {
          why: `${why} of objects that Clusters and Machines reference`,
          apiGroups: defaultProviderGroups,
          resources: ['*'],
          verbs,
        },
        {
          why: 'reads from CRD labels in which version to read them',
          apiGroups: ['apiextensions.k8s.io'],
          resources: ['customresourcedefinitions'],
          verbs: ['get'],
        },
        identityRule,
      ];
}
