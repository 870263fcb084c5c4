// What a process that watches for these declarations may do: see names, labels and owners of their kinds. Pure.
import type { Declaration, PolicyRule } from '../kernel/types.ts';
import { pluralOf } from '../names/plural.ts';
import { toWatchSet } from './watch-set.ts';

/** Of the providers that follow Cluster API's conventions; a provider with a group of its own needs a rule of its own. */
const providerGroups = ['infrastructure.cluster.x-k8s.io', 'controlplane.cluster.x-k8s.io'];

/** Whatever makes or checks keys must know which management cluster it serves. */
export const identityRule: PolicyRule = {
  why: 'names the management cluster by the uid of kube-system, unless CAPI_MANAGEMENT_CLUSTER does',
  apiGroups: [''],
  resources: ['namespaces'],
  resourceNames: ['kube-system'],
  verbs: ['get'],
};

/** One rule per group of declared kinds; with referenced kinds, those of their groups and of the CRDs that name versions. */
export function toWatchRules(declarations: readonly Declaration[]): readonly PolicyRule[] {
  const { declared, referenced } = toWatchSet(declarations);
  const verbs = ['list', 'watch'];
  const byGroup = Map.groupBy(declared, ({ kind }) => kind.group);
  const own = [...byGroup].map(([group, targets]) => ({
    why: 'tells of changes',
    apiGroups: [group],
    resources: targets.map(({ kind }) => pluralOf(kind.kind)),
    verbs,
  }));
  return referenced.length === 0
    ? [...own, identityRule]
    : [
        ...own,
        { why: 'tells of changes of what Clusters name', apiGroups: providerGroups, resources: ['*'], verbs },
        {
          why: 'reads from CRD labels in which version to watch',
          apiGroups: ['apiextensions.k8s.io'],
          resources: ['customresourcedefinitions'],
          verbs: ['get'],
        },
        identityRule,
      ];
}
