// The workload cluster of a Machine as the target of writes.
import type { WorkloadTarget } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';

/** Without Cluster, no write to a workload cluster is planned. */
export function toTarget(cluster: Cluster | undefined): WorkloadTarget {
  const { uid = '', namespace = '', name = '' } = cluster?.metadata ?? {};
  return { uid, namespace, name };
}
