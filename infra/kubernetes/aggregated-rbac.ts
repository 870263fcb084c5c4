// Rights on the kinds of providers whose API groups are their own: such a provider brings a ClusterRole for Cluster API's manager,
// which knows it by a label, and so do we.
import type { Declaration } from '../../shared/kernel/types.ts';
import { forwarderProgram } from '../functions.ts';
import { toFunctionRules } from './functions-rbac.ts';
import { forwarderAccount, functionsAccount } from './identities.ts';
import { apiGroup, apiVersion, labels, toRoleName, toSubject } from './roles.ts';

const name = toRoleName('providers');

/**
 * What the roles of all providers together allow; a controller of the cluster fills in the rules. Cluster API's own manager
 * bears the label on the role of its controllers, too, which may read every Secret: its provider's label leaves it out.
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

/** To every function that works on the kinds of providers, by its group, by the account of all functions, and to the forwarder's. */
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
