// The shim: a Secret that owns infrastructure and control plane until the Cluster does, so that no object is orphaned.
import type { OwnerReference } from '@capi-serverless/apimachinery';

export function shimNameOf(clusterName: string): string {
  return `${clusterName}-shim`;
}

/** Whether this is a reference to the shim of the Cluster with that name. */
export function isShimReference({ kind, name }: Pick<OwnerReference, 'kind' | 'name'>, clusterName: string): boolean {
  return kind === 'Secret' && name === shimNameOf(clusterName);
}
