// What a pass knows about the connection to the workload cluster, without a process that probes it all the time.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf, parseTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import {
  failingSinceAnnotation,
  neverConnectedMessage,
  remoteConnectionType,
} from '../../../../shared/api/cluster/remote-connection.ts';

/** Of Cluster API: this number of failed probes means that the connection is down. */
export const failuresUntilDown = 5;

export interface ConnectionState {
  readonly isConnected: boolean;
  /** `undefined` if no probe has succeeded. */
  readonly lastSuccessAt: Instant | undefined;
  readonly consecutiveFailures: number;
}

/**
 * The first request of the pass is the probe: `isConnected` if it had any answer but 401. Otherwise the last success is
 * taken from what the Cluster reconciler stored. It is at most one probe interval older than the stored time.
 */
export function connectionState(
  cluster: Cluster,
  { isConnected, now }: { readonly isConnected: boolean; readonly now: Instant },
): ConnectionState {
  if (isConnected) {
    return { isConnected, lastSuccessAt: now, consecutiveFailures: 0 };
  }
  const failingSince = parseTimestamp(cluster.metadata.annotations[failingSinceAnnotation] ?? '');
  if (failingSince.ok) {
    return { isConnected, lastSuccessAt: failingSince.value, consecutiveFailures: failuresUntilDown };
  }
  const stored = getCondition(cluster.status.conditions, remoteConnectionType);
  if (stored?.status === 'True') {
    return { isConnected, lastSuccessAt: now, consecutiveFailures: 1 };
  }
  const isNew = stored === undefined || stored.message.startsWith(neverConnectedMessage);
  return { isConnected, lastSuccessAt: undefined, consecutiveFailures: isNew ? 0 : failuresUntilDown };
}

/**
 * The time from which a lost connection is counted. A control plane that was initialized after the last success has the
 * whole grace period.
 */
export function lostSince({ status }: Cluster, { lastSuccessAt }: ConnectionState): Instant {
  const initialized = getCondition(status.conditions, 'ControlPlaneInitialized');
  return Math.max(lastSuccessAt ?? 0, instantOf(initialized?.lastTransitionTime) ?? 0);
}
