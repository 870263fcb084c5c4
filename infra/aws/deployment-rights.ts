// The rights of a deployment's functions in the management cluster, as manifests.
import { type FeatureGates, gatesWhere } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration } from '@capi-serverless/reconciler';
import { toDeploymentRbac } from '../kubernetes/deployment-rbac.ts';
import { stateNamespace } from '../kubernetes/identities.ts';
import { webhookNames } from '../kubernetes/webhook-rbac.ts';
import { toFeatureGates } from './deployment.ts';
import { isSameCluster } from './deployment-conflicts.ts';
import type { Deployment } from './deployment-schema.ts';

/** Returns the manifests by the name of the deployment. */
export function toRights(
  deployments: readonly Deployment[],
  declarations: readonly Declaration[],
): ReadonlyMap<string, string> {
  return new Map(deployments.map(deployment => [deployment.name, toRbac(deployment, deployments, declarations)]));
}

/**
 * Returns the manifests of one of these deployments. Deployments of one management cluster have the same roles, so each
 * gets the rights that one of them needs.
 */
export function toRbac(
  deployment: Deployment,
  deployments: readonly Deployment[],
  declarations: readonly Declaration[],
): string {
  const sharing = deployments.filter(other => isSameCluster(deployment, other));
  const namespaces = sharing.map(({ secretNamespaces }) => secretNamespaces);
  const rights = {
    gates: sharing.map(toFeatureGates).reduce(anyOf),
    secretNamespaces: namespaces.includes(undefined) ? undefined : unique(namespaces.flatMap(one => one ?? [])),
    stateNamespaces: unique(sharing.map(({ settings }) => settings.stateNamespace ?? stateNamespace)),
    webhooks: webhookNames.filter(name => sharing.some(one => one[name] !== undefined)),
    identity: deployment.apiServer.kind === 'eks' ? 'groups' : 'account',
  } as const;
  return toDeploymentRbac(declarations, rights);
}

function anyOf(one: FeatureGates, other: FeatureGates): FeatureGates {
  return gatesWhere(name => one[name] || other[name]);
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}
