// Checks that Cluster API's manager has permissions for the provider's kinds. It needs an aggregated ClusterRole.

import { type Intent, pluralOf, toRecord } from '@capi-serverless/apimachinery';
import type { ObjectProblem } from '../findings/finding.ts';

const aggregateLabel = 'cluster.x-k8s.io/aggregate-to-manager';
const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] as const;
/** Groups that the rules of the manager contain. */
const ownGroups: readonly string[] = [
  'infrastructure.cluster.x-k8s.io',
  'controlplane.cluster.x-k8s.io',
  'bootstrap.cluster.x-k8s.io',
];

export function isClusterRole({ apiVersion, kind }: Pick<Intent, 'apiVersion' | 'kind'>): boolean {
  return kind === 'ClusterRole' && apiVersion.startsWith('rbac.authorization.k8s.io/');
}

/** `roles` contains every known ClusterRole, regardless of its purpose. */
export function checkRights(
  { group, kind }: { readonly group: string; readonly kind: string },
  roles: readonly Intent[],
): readonly ObjectProblem[] {
  if (ownGroups.includes(group)) {
    return [];
  }
  const resource = pluralOf(kind);
  const granted = new Set(roles.filter(isAggregated).flatMap(role => verbsOf(role, { group, resource })));
  const lacking = granted.has('*') ? [] : verbs.filter(verb => !granted.has(verb));
  if (lacking.length === 0) {
    return [];
  }
  const remedy = `grant it in a ClusterRole with the label ${aggregateLabel}: "true"`;
  return granted.size === 0
    ? [
        {
          severity: 'warning',
          field: 'spec.group',
          message: `no ClusterRole here lets Cluster API's manager work on ${resource}.${group}; ${remedy}, or add its file`,
        },
      ]
    : [
        {
          severity: 'error',
          field: 'spec.group',
          message: `Cluster API's manager may not ${lacking.join(', ')} ${resource}.${group}; ${remedy}`,
        },
      ];
}

function isAggregated({ metadata }: Intent): boolean {
  return metadata.labels?.[aggregateLabel] === 'true';
}

function verbsOf(role: Intent, on: { readonly group: string; readonly resource: string }): readonly string[] {
  const rules = Array.isArray(role['rules']) ? role['rules'].map(toRecord) : [];
  return rules
    .filter(rule => names(rule['apiGroups'], on.group) && names(rule['resources'], on.resource))
    .flatMap(({ verbs: granted }) => (Array.isArray(granted) ? granted.map(String) : []));
}

function names(list: unknown, name: string): boolean {
  return Array.isArray(list) && (list.includes(name) || list.includes('*'));
}
