// Whether the workload cluster's API server answers. While it does, nothing is stored. An annotation keeps the time of the
// first failure, so that the next invocation knows how long the failure has lasted.

import { type Instant, toRef } from '@capi-serverless/apimachinery';
import { instantOf, toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type Condition, getCondition, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { Action } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { WholeView } from '../seen.ts';
import { gapMs } from './gaps.ts';
import { patchProblem } from './outcomes.ts';
import type { Scope } from './scope.ts';
import type { PhaseStep } from './step.ts';

/** RFC 3339; under our own domain, as upstream does not read it. */
export const failingSinceAnnotation = 'capi-serverless.dev/probe-failing-since';

export const remoteConnectionType = 'RemoteConnectionProbe';

/** The message of every condition about a lost connection begins so. */
export const failedMessage = 'Remote connection probe failed';

export const failingSinceActionId = 'probe:failing-since';

/** When to probe again after the first failure; afterwards the flip of the condition and the gaps decide. */
const earlyProbesMs: readonly number[] = [10_000, 30_000];
const longestGapMs = 10 * 60_000;

/** A Cluster that was never connected counts as failed with upstream's fifth failure, 30 s apart. */
const neverConnectedGraceMs = 2 * 60_000;

/** Stores the time of the first failure, and removes it with the recovery. */
export function failingSinceActions({ cluster, remote }: WholeView, now: Instant): readonly Action[] {
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
      return [];
    case 'off':
    case 'succeeded':
      return stored === undefined ? [] : write(null);
    case 'failed':
      return failingSince(cluster) === undefined ? write(toTimestamp(now)) : [];
  }
}

/** A timer requests the next probe while probes fail. A working connection is probed when the Cluster is reconciled. */
export function remoteConnectionStep({ seen, now }: Pick<Scope, 'seen' | 'now'>): PhaseStep {
  const { cluster, remote } = seen;
  const since = remote.state === 'failed' ? (failingSince(cluster) ?? now) : awaitedSince(seen);
  return {
    change: since === undefined ? {} : { requeues: [nextProbeMs(now - since, flipMs(seen))] },
    needs: [{ id: failingSinceActionId, problem: patchProblem(cluster.object) }],
  };
}

/** How long the current failure may last before the condition becomes False, in milliseconds. */
export function flipMs({ cluster, remote, settings }: Pick<WholeView, 'cluster' | 'remote' | 'settings'>): number {
  const wasConnected =
    isTrue(cluster.status.conditions, remoteConnectionType) ||
    (remote.state === 'failed' && remote.lastSuccessAt !== undefined);
  return wasConnected ? settings.remoteGracePeriodMs : neverConnectedGraceMs;
}

/**
 * When the current failure began; `undefined` if no failure is stored. Without the annotation, the transition time of a
 * condition about a lost connection counts: upstream may have written one.
 */
export function failingSince(cluster: Cluster): Instant | undefined {
  const since = cluster.metadata.annotations[failingSinceAnnotation] ?? storedFailure(cluster)?.lastTransitionTime;
  return instantOf(since);
}

/** The stored condition, if it reports a lost connection. */
export function storedFailure(cluster: Cluster): Condition | undefined {
  const stored = getCondition(cluster.status.conditions, remoteConnectionType);
  return stored?.status === 'False' && stored.message.startsWith(failedMessage) ? stored : undefined;
}

/** A later pass of the invocation that found the failure keeps its timer. */
function awaitedSince({ cluster, remote }: WholeView): Instant | undefined {
  return remote.state === 'skipped' && remote.isAwaited ? failingSince(cluster) : undefined;
}

function nextProbeMs(elapsedMs: number, untilFlipMs: number): number {
  const planned = [...earlyProbesMs, untilFlipMs].filter(at => at > elapsedMs).map(at => at - elapsedMs);
  return Math.min(...planned, gapMs(elapsedMs, longestGapMs));
}
