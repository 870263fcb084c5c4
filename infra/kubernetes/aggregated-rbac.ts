// RBAC for provider kinds in other API groups. A provider of these kinds installs a ClusterRole with a label. Cluster
// API's manager aggregates this role. The functions aggregate the same roles.
import type { Declaration } from '@capi-serverless/reconciler';
import { forwarderProgram } from '../function-plans.ts';
import { toFunctionRules } from './functions-rbac.ts';
import { forwarderAccount, functionsAccount } from './identities.ts';
import { apiGroup, apiVersion, labels, toRoleName, toSubject } from './roles.ts';

const name = toRoleName('providers');

/**
 * Aggregates the rules of all providers' roles. The role of Cluster API's own manager has the label as well and may read
 * all Secrets, so the selector excludes it by its provider label.
 */
export const aggregatedRole = {
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name, labels },
  aggregationRule: {
    clusterRoleSelectors: [
      {
        matchLabels: { 'cluster.x-k8s.io/aggregate-to-manager': 'true' },
        matchExpressions: [{ key: 'cluster.x-k8s.io/provider', operator: 'NotIn', values: ['cluster-api'] }],
      },
    ],
  },
} as const;

/**
 * Binds the role to the functions that use provider kinds: to their groups, to the shared account, and to the
 * forwarder's account.
 */
export function toAggregatedBinding(declarations: readonly Declaration[]): object {
  const groups = toFunctionRules(declarations)
    .filter(({ rules }) => rules.some(({ resources }) => resources.includes('*')))
    .map(({ name: called }) => called)
    .filter(called => called !== forwarderProgram.name);
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [
      ...groups.map(called => toSubject(called, { kind: 'group' })),
      ...[functionsAccount, forwarderAccount].map(account => toSubject(account.name, { kind: 'account', ...account })),
    ],
  };
}
