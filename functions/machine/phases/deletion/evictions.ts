// The evictions of one pass over a draining Node, and the Pods that remain after them.
import type { ApiFailure, ObjectRef } from '@capi-serverless/apimachinery';
import type { Action, Outcomes, WorkloadTarget } from '@capi-serverless/reconciler';
import type { Pod } from '../../../../shared/api/pod/reader.ts';
import { type DrainedPod, isAwaited, podName } from './classify-pods.ts';

/** The Pods, grouped by what the drain waits for. Each list is sorted by name. */
export interface DrainGroups {
  readonly evictNow: readonly Pod[];
  readonly evictLater: readonly Pod[];
  readonly waitNow: readonly Pod[];
  readonly waitLater: readonly Pod[];
  /** Pods that are being deleted. Those of a lower order hold back all Pods of higher orders. */
  readonly terminating: readonly Pod[];
}

/** `pods` is sorted by name. */
export function groupPods(pods: readonly DrainedPod[]): DrainGroups {
  const meant = pods.filter(isAwaited);
  const minOrder = meant.reduce((least, { order }) => Math.min(least, order), Number.POSITIVE_INFINITY);
  const named = (isMeant: (each: DrainedPod) => boolean): readonly Pod[] => meant.filter(isMeant).map(({ pod }) => pod);
  const isDeleting = ({ pod }: DrainedPod): boolean => pod.metadata.deletionTimestamp !== undefined;
  const isDrained = (each: DrainedPod): boolean => each.behavior === 'Drain' && !isDeleting(each);
  const waits = ({ behavior }: DrainedPod): boolean => behavior === 'WaitCompleted';
  return {
    evictNow: named(each => isDrained(each) && each.order === minOrder),
    evictLater: named(each => isDrained(each) && each.order !== minOrder),
    waitNow: named(each => waits(each) && each.order === minOrder),
    waitLater: named(each => waits(each) && each.order !== minOrder),
    terminating: named(each => each.behavior === 'Drain' && isDeleting(each)),
  };
}

export function evictionId(pod: Pod): string {
  return `evict:${podName(pod)}`;
}

interface Evicting {
  readonly target: WorkloadTarget;
  /** The kubelet of an unreachable Node confirms no deletion, so its Pods get the shortest grace period. */
  readonly isUnreachable: boolean;
}

const unreachableGraceSeconds = 1;

export function evictionActions({ evictNow }: DrainGroups, { target, isUnreachable }: Evicting): readonly Action[] {
  return evictNow.map(pod => ({
    id: evictionId(pod),
    onError: 'continue',
    do: 'evict',
    pod: toRef(pod),
    uid: pod.metadata.uid,
    ...(isUnreachable ? { gracePeriodSeconds: unreachableGraceSeconds } : {}),
    target,
  }));
}

function toRef({ metadata: { namespace, name } }: Pod): ObjectRef {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name };
}

/** What a drain still waits for, after its evictions. */
export interface DrainRemainder extends Omit<DrainGroups, 'evictNow' | 'terminating'> {
  /** Pods that were found while they were deleted, then the evicted ones. */
  readonly terminating: readonly Pod[];
  /** Pods whose eviction failed, by the text of the failure. */
  readonly failed: ReadonlyMap<string, readonly Pod[]>;
}

/** The only judgement of evictions. One without outcome was not performed, because an earlier action ended the pass. */
export function remainderAfter(groups: DrainGroups, outcomes: Outcomes): DrainRemainder {
  const evicted: Pod[] = [];
  const failed = new Map<string, Pod[]>();
  const fail = (text: string, pod: Pod): void => {
    const pods = failed.get(text) ?? [];
    pods.push(pod);
    failed.set(text, pods);
  };
  for (const pod of groups.evictNow) {
    const outcome = outcomes.get(evictionId(pod));
    if (outcome?.state === 'done') {
      evicted.push(pod);
    } else if (outcome?.state !== 'failed') {
      fail('it was not evicted in this pass', pod);
    } else if (outcome.failure.reason !== 'NotFound') {
      fail(failureText(outcome.failure), pod);
    }
  }
  const { evictLater, waitNow, waitLater, terminating } = groups;
  return { evictLater, waitNow, waitLater, terminating: [...terminating, ...evicted], failed };
}

export function isDrained({ terminating, failed, evictLater, waitNow, waitLater }: DrainRemainder): boolean {
  return [terminating, evictLater, waitNow, waitLater].every(pods => pods.length === 0) && failed.size === 0;
}

const terminatingNamespace =
  'Cannot evict pod from terminating namespace: unable to create eviction (kube-controller-manager should set deletionTimestamp)';

function failureText({ reason, message, details, causes }: ApiFailure): string {
  if (reason === 'TooManyRequests') {
    const texts = details?.causes.map(cause => cause.message) ?? causes;
    return texts === undefined ? message : `${message} ${texts.join(',')}`;
  }
  const isTerminating = details?.causes.some(({ type }) => type === 'NamespaceTerminating') === true;
  return reason === 'Forbidden' && isTerminating ? terminatingNamespace : message;
}
