// Whether the workload cluster's API server answers. Nothing is stored while it does; the time of the first failure is
// kept as an annotation, so that the next function that looks knows for how long it has been going on.
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { type Instant, toRef } from '../../../shared/api/object.ts';
import type { Condition } from '../../../shared/conditions/condition.ts';
import { getCondition, isTrue } from '../../../shared/conditions/get.ts';
import { parseTimestamp, toTimestamp } from '../../../shared/conditions/timestamp.ts';
import type { Action } from '../../../shared/kernel/types.ts';
import type { WholeView } from '../seen.ts';
import { patchError } from './external.ts';
import { gapMs } from './gaps.ts';
import { failureOf } from './outcomes.ts';
import { type PhaseContext, type Progress, withError, withRequeue } from './scope.ts';

/** RFC 3339; under our own domain, as nobody else reads it. */
export const failingSinceAnnotation = 'capi-serverless.dev/probe-failing-since';

export const remoteConnectionType = 'RemoteConnectionProbe';

/** Every condition that tells of a lost connection begins so. */
export const failedMessage = 'Remote connection probe failed';

export const failingSinceActionId = 'probe:failing-since';

/** How soon after the first failure to look again; afterwards the flip and the gaps decide. */
const earlyLooksMs: readonly number[] = [10_000, 30_000];
const longestGapMs = 10 * 60_000;

/** A Cluster that was never connected is given up with upstream's fifth failure, 30 s apart. */
const neverConnectedGraceMs = 2 * 60_000;

/** Keeps the time of the first failure, and takes it away with the recovery. */
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

/** Looks again while probes fail; a connection that works is looked at whenever the Cluster is. */
export function remoteConnectionPhase({ seen, outcomes, now }: PhaseContext, progress: Progress): Progress {
  const failure = failureOf(outcomes, failingSinceActionId);
  if (failure !== undefined) {
    return withError(progress, patchError(seen.cluster.object, failure.message));
  }
  const { cluster, remote } = seen;
  const since = remote.state === 'failed' ? (failingSince(cluster) ?? now) : awaitedSince(seen);
  return since === undefined ? progress : withRequeue(progress, nextLookMs(now - since, flipMs(seen)));
}

/** How long the current failure may last before the Cluster says so. */
export function flipMs({ cluster, remote, settings }: Pick<WholeView, 'cluster' | 'remote' | 'settings'>): number {
  const wasConnected =
    isTrue(cluster.status.conditions, remoteConnectionType) ||
    (remote.state === 'failed' && remote.lastSuccessAt !== undefined);
  return wasConnected ? settings.remoteGracePeriodMs : neverConnectedGraceMs;
}

/**
 * `undefined`: as far as is known, the last probe went well. A condition that tells of a lost connection, which upstream
 * may have left, knows since when it does.
 */
export function failingSince(cluster: Cluster): Instant | undefined {
  const since = cluster.metadata.annotations[failingSinceAnnotation] ?? storedFailure(cluster)?.lastTransitionTime;
  const parsed = parseTimestamp(since ?? '');
  return parsed.ok ? parsed.value : undefined;
}

/** The stored condition, if it tells of a lost connection. */
export function storedFailure(cluster: Cluster): Condition | undefined {
  const stored = getCondition(cluster.status.conditions, remoteConnectionType);
  return stored?.status === 'False' && stored.message.startsWith(failedMessage) ? stored : undefined;
}

/** A later pass of the invocation that found the failure must not forget to look again. */
function awaitedSince({ cluster, remote }: WholeView): Instant | undefined {
  return remote.state === 'skipped' && remote.isAwaited ? failingSince(cluster) : undefined;
}

function nextLookMs(elapsedMs: number, untilFlipMs: number): number {
  const planned = [...earlyLooksMs, untilFlipMs].filter(look => look > elapsedMs).map(look => look - elapsedMs);
  return Math.min(...planned, gapMs(elapsedMs, longestGapMs));
}
