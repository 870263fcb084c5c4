// A workload cluster that does not answer. Before its first probe succeeds, the pool waits for it without an error: the
// condition RemoteConnectionProbe of the Cluster enqueues the pool. Pure.
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../../shared/api/cluster/remote-connection.ts';
import type { PoolChange } from './pool-progress.ts';

const connectionDown = 'connection to the workload cluster is down';

export const noClient = `error getting client: ${connectionDown}`;

/** Upstream watches Nodes once the control plane is initialized. */
export const noNodeWatch = `error creating watch machinepool-watchNodes for *v1.Node: ${connectionDown}`;

export function isInitialized({ status }: Cluster): boolean {
  return isTrue(status.conditions, 'ControlPlaneInitialized');
}

/** `error` has the prefix of its phase. */
export function whenDown({ status }: Cluster, error: string): PoolChange {
  return isTrue(status.conditions, remoteConnectionType) ? { errors: [error] } : { isWaiting: true };
}
