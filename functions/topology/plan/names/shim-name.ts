// The shim: a Secret that owns infrastructure and control plane until the Cluster owns them. It prevents orphaned
// objects.
import type { OwnerReference } from '@capi-serverless/apimachinery';

export function shimNameOf(clusterName: string): string {
  return `${clusterName}-shim`;
}

/** Returns true if this is a reference to the shim of the Cluster with this name. */
export function isShimReference({ kind, name }: Pick<OwnerReference, 'kind' | 'name'>, clusterName: string): boolean {
  return kind === 'Secret' && name === shimNameOf(clusterName);
}
