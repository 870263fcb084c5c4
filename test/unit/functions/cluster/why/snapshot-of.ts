import type { Unstructured } from '@capi-serverless/apimachinery';
import type { ClusterSnapshot } from '../../../../../functions/cluster/why/snapshot.ts';

/** Returns a Cluster without any of the objects that are not given. */
export function snapshotOf(cluster: Unstructured, parts: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    cluster,
    infrastructure: undefined,
    controlPlane: undefined,
    machineDeployments: [],
    machines: [],
    machinePools: [],
    machineHealthChecks: [],
    ...parts,
  };
}
