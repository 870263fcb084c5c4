// Two deployments that must not exist side by side. Pure.
import type { ApiServerSettings, Deployment } from './deployment-schema.ts';

/** Returns true if both deployments certainly have the same management cluster. */
export function isSameCluster(one: Deployment, other: Deployment): boolean {
  const cluster = serverOf(one.apiServer);
  return one === other || (cluster !== undefined && cluster === serverOf(other.apiServer));
}

/** Returns one line about the second deployment. Names must differ in one account and region only. */
export function findConflict(
  one: Deployment,
  other: Deployment,
  { isSamePlace = true }: { readonly isSamePlace?: boolean } = {},
): string | undefined {
  if (isSamePlace && one.name === other.name) {
    return `Deployment ${other.name}: the name is not unique; choose another name`;
  }
  const [filter, otherFilter] = [one.settings.watchFilter ?? '', other.settings.watchFilter ?? ''];
  if (isSameCluster(one, other) && (filter === otherFilter || filter === '' || otherFilter === '')) {
    return `Deployment ${other.name}: reconciles the same objects as ${one.name}; set a different settings.watchFilter in each`;
  }
  const account = accountOf(one);
  return account !== undefined && account === accountOf(other)
    ? `Deployment ${other.name}: has the same forwarder as ${one.name}; set a different sources.forwarder.namespace in each`
    : undefined;
}

/** Pod Identity maps a service account to one role. */
function accountOf({ sources: { forwarder } }: Deployment): string | undefined {
  return forwarder?.kind === 'pod-identity' ? `${forwarder.cluster}/${forwarder.namespace}` : undefined;
}

function serverOf(apiServer: ApiServerSettings): string | undefined {
  return apiServer.kind === 'eks' ? apiServer.endpoint : apiServer.secretArn;
}
