// What a pass knows about the connection to the workload cluster, without a process that probes it all the time.
import type { Instant } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, getCondition } from '@capi-serverless/cluster-api/conditions';
import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import {
  failingSinceAnnotation,
  neverConnectedMessage,
  remoteConnectionType,
} from '../../../../shared/api/cluster/remote-connection.ts';

/** The number of failed probes after which Cluster API treats the connection as down. */
export const failuresUntilDown = 5;
/** Cluster API's interval between two probes. */
const probeIntervalMs = 10_000;
/** The time without success after which a connection counts as dead. */
export const deadAfterMs = failuresUntilDown * probeIntervalMs;

export interface ConnectionState {
  readonly isConnected: boolean;
  /** `undefined` if no probe has succeeded. */
  readonly lastSuccessAt: Instant | undefined;
  readonly consecutiveFailures: number;
}

/** What a Machine remembers by itself. */
interface OwnMemory {
  /** The time of the first failure since the last success. */
  readonly failingSince: Instant | undefined;
  /** Whether the Machine had a connection before. */
  readonly wasConnected: boolean;
}

interface Connecting {
  readonly isConnected: boolean;
  readonly now: Instant;
  /** If Clusters are not probed, the Cluster stores nothing about the connection. Otherwise absent. */
  readonly own?: OwnMemory | undefined;
}

/**
 * The first request of the pass is the probe: `isConnected` if it had any answer but 401. Otherwise the last success is
 * taken from what the Cluster reconciler stored: the time in the condition or, before the condition changes, the time of
 * the first failed probe. The last success is at most one probe interval older.
 */
export function connectionState(cluster: Cluster, { isConnected, now, own }: Connecting): ConnectionState {
  if (isConnected) {
    return { isConnected, lastSuccessAt: now, consecutiveFailures: 0 };
  }
  return own === undefined ? storedState(cluster, now) : stateOfOwn(own, now);
}

function stateOfOwn({ failingSince, wasConnected }: OwnMemory, now: Instant): ConnectionState {
  if (!wasConnected) {
    return { isConnected: false, lastSuccessAt: undefined, consecutiveFailures: 0 };
  }
  const consecutiveFailures = failingSince === undefined ? 1 : failuresUntilDown;
  return { isConnected: false, lastSuccessAt: failingSince ?? now, consecutiveFailures };
}

/** Returns true if the last success is older than the probes take until Cluster API treats the connection as down. */
export function isDead({ isConnected, lastSuccessAt = 0 }: ConnectionState, now: Instant): boolean {
  return !isConnected && now - lastSuccessAt >= deadAfterMs;
}

function storedState(cluster: Cluster, now: Instant): ConnectionState {
  const isConnected = false;
  const stored = getCondition(cluster.status.conditions, remoteConnectionType);
  const failingSince = instantOf(cluster.metadata.annotations[failingSinceAnnotation]);
  if (stored?.message === neverConnectedMessage || (stored === undefined && failingSince === undefined)) {
    return { isConnected, lastSuccessAt: undefined, consecutiveFailures: 0 };
  }
  if (stored?.status !== 'False') {
    const consecutiveFailures = failingSince === undefined ? 1 : failuresUntilDown;
    return { isConnected, lastSuccessAt: failingSince ?? now, consecutiveFailures };
  }
  return {
    isConnected,
    lastSuccessAt: reportedSuccess(stored) ?? successBefore(failingSince, stored),
    consecutiveFailures: failuresUntilDown,
  };
}

/** The end of the condition's message, if the time of the last success was known. */
const lastSuccessForm = / probe last succeeded at (\S+)$/;

function reportedSuccess({ message }: Condition): Instant | undefined {
  return instantOf(lastSuccessForm.exec(message)?.[1]);
}

/** The condition becomes False some time after the first failure. If it was False before, no probe has succeeded. */
function successBefore(failingSince: Instant | undefined, { lastTransitionTime }: Condition): Instant | undefined {
  const wasConnected = failingSince !== undefined && failingSince < (instantOf(lastTransitionTime) ?? 0);
  return wasConnected ? failingSince : undefined;
}

/**
 * The time from which a lost connection is counted. A control plane that was initialized after the last success has the
 * whole grace period.
 */
export function lostSince({ status }: Cluster, { lastSuccessAt }: ConnectionState): Instant {
  const initialized = getCondition(status.conditions, 'ControlPlaneInitialized');
  return Math.max(lastSuccessAt ?? 0, instantOf(initialized?.lastTransitionTime) ?? 0);
}
