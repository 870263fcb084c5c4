// Determines whether the workload API server answers. While it answers, nothing is stored. After a failure, an
// annotation stores the time of the first failure. The next invocation computes the duration of the failure from it.

import { type Instant, toRef } from '@capi-serverless/apimachinery';
import { instantOf, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, getCondition, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { Action } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { failingSinceAnnotation, remoteConnectionType } from '../../../shared/api/cluster/remote-connection.ts';
import type { ObservedCluster } from '../seen.ts';
import { gapMs } from './gaps.ts';
import { kubeconfigGapMs } from './kubeconfig-secret.ts';
import type { ClusterPassChange, ClusterPhase } from './pass-progress.ts';
import type { PhaseScope } from './scope.ts';

/** The prefix of the messages of all conditions about a lost connection. */
export const failedMessage = 'Remote connection probe failed';

export const failingSinceActionId = 'probe:failing-since';

/**
 * The time of the next probe after the first failure. Later probes follow the condition's grace period and then growing
 * intervals.
 */
const earlyProbesMs: readonly number[] = [10_000, 30_000];
const longestGapMs = 10 * 60_000;
/** A probe for which a pass had no time is sent after this time. */
const postponedMs = 10_000;

/**
 * If a Cluster was never connected, the condition becomes False at the time of upstream's fifth failed probe. The
 * interval is 30 s.
 */
const neverConnectedGraceMs = 2 * 60_000;

/** Stores the time of the first failure. Removes it after the recovery. */
function failingSinceActions({ cluster, remote }: ObservedCluster, now: Instant): readonly Action[] {
  const stored = cluster.metadata.annotations[failingSinceAnnotation];
  const write = (value: string | null): readonly Action[] => [
    {
      id: failingSinceActionId,
      onError: 'continue',
      do: 'patch',
      ref: toRef(cluster.object),
      body: { metadata: { annotations: { [failingSinceAnnotation]: value } } },
      resourceVersion: cluster.metadata.resourceVersion,
    },
  ];
  switch (remote.state) {
    case 'skipped':
    case 'refused':
      return [];
    case 'off':
    case 'succeeded':
      return stored === undefined ? [] : write(null);
    case 'failed':
      return failingSince(cluster) === undefined ? write(toTimestamp(now)) : [];
  }
}

/**
 * While probes fail, or while the Cluster has no kubeconfig, a timer requests the next probe. A working connection is
 * probed when the Cluster is reconciled.
 */
export function remoteConnectionPhase({ seen, now }: PhaseScope): ClusterPhase {
  return {
    actions: failingSinceActions(seen, now),
    // The phase of the patches reports the error.
    steps: [{ change: nextProbe(seen, now), needs: [{ id: failingSinceActionId, problem: undefined }] }],
  };
}

function nextProbe(seen: ObservedCluster, now: Instant): ClusterPassChange {
  const { remote } = seen;
  const gap = remote.state === 'skipped' && remote.isPostponed ? postponedMs : probeGapMs(seen, now);
  return gap === undefined ? {} : { requeues: [gap] };
}

function probeGapMs(seen: ObservedCluster, now: Instant): number | undefined {
  const { cluster, remote } = seen;
  const isFailing = remote.state === 'failed' || remote.state === 'refused';
  const since = isFailing ? (failingSince(cluster) ?? now) : awaitedSince(seen);
  if (since !== undefined) {
    return nextProbeMs(now - since, flipMs(seen));
  }
  return isNeverConnected(seen) ? kubeconfigGapMs(seen, now) : undefined;
}

/** Either the kubeconfig is missing, or this pass did not read it because it is not the first of its invocation. */
function isNeverConnected({ cluster, remote }: ObservedCluster): boolean {
  const isAwaited = remote.state === 'skipped' && remote.isAwaited;
  return isAwaited && !isTrue(cluster.status.conditions, remoteConnectionType);
}

/** The duration in milliseconds after which a failure sets the condition to False. */
export function flipMs({
  cluster,
  remote,
  settings,
}: Pick<ObservedCluster, 'cluster' | 'remote' | 'settings'>): number {
  const wasConnected =
    isTrue(cluster.status.conditions, remoteConnectionType) ||
    (remote.state === 'failed' && remote.lastSuccessAt !== undefined);
  return wasConnected ? settings.remoteGracePeriodMs : neverConnectedGraceMs;
}

/**
 * Returns the start of the current failure, or `undefined` if no failure is stored. Without the annotation, the
 * transition time of the stored condition is used. Upstream may have written this condition.
 */
export function failingSince(cluster: Cluster): Instant | undefined {
  const since = cluster.metadata.annotations[failingSinceAnnotation] ?? storedFailure(cluster)?.lastTransitionTime;
  return instantOf(since);
}

/** Returns the stored condition if it reports a lost connection. */
export function storedFailure(cluster: Cluster): Condition | undefined {
  const stored = getCondition(cluster.status.conditions, remoteConnectionType);
  return stored?.status === 'False' && stored.message.startsWith(failedMessage) ? stored : undefined;
}

/** The pass that found the failure has set a timer. A later pass of the same invocation keeps this timer. */
function awaitedSince({ cluster, remote }: ObservedCluster): Instant | undefined {
  return remote.state === 'skipped' && remote.isAwaited ? failingSince(cluster) : undefined;
}

function nextProbeMs(elapsedMs: number, untilFlipMs: number): number {
  const planned = [...earlyProbesMs, untilFlipMs].filter(at => at > elapsedMs).map(at => at - elapsedMs);
  return Math.min(...planned, gapMs(elapsedMs, longestGapMs));
}
