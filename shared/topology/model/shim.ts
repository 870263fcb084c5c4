// The shim: a Secret that owns infrastructure and control plane until the Cluster does, so that nothing leaks in between.
import type { OwnerReference } from '../../api/object.ts';

export function shimNameOf(clusterName: string): string {
  return `${clusterName}-shim`;
}

/** Whether this is the reference to the shim of the Cluster with that name. */
export function isShimReference({ kind, name }: Pick<OwnerReference, 'kind' | 'name'>, clusterName: string): boolean {
  return kind === 'Secret' && name === shimNameOf(clusterName);
}
