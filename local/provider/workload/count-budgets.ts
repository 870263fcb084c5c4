// The counters of PodDisruptionBudgets, as the disruption controller of Kubernetes sets them. Pure.
// https://kubernetes.io/docs/tasks/run-application/configure-pdb/
import {
  type Instant,
  isJsonObject,
  type JsonObject,
  memberOf,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { protects } from '@capi-serverless/apiserver/workload';
import { holds } from '../machines/counts.ts';
import { textAt } from '../machines/read.ts';
import { toTime } from '../progress.ts';

/** The status of the budget, given all Pods. Pods that no controller counts are expected once each. */
export function countBudget(budget: Unstructured, pods: readonly Unstructured[], now: Instant): JsonObject {
  const counted = pods.filter(
    pod => protects(budget, pod) && !['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase')),
  );
  const expectedPods = counted.length;
  const currentHealthy = counted.filter(
    pod => pod.metadata.deletionTimestamp === undefined && holds(pod, 'Ready'),
  ).length;
  const desiredHealthy = toDesired(budget, expectedPods);
  const disruptionsAllowed = Math.max(0, currentHealthy - desiredHealthy);
  return {
    observedGeneration: budget.metadata.generation ?? 0,
    expectedPods,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed,
    conditions: [toCondition(budget, disruptionsAllowed > 0, now)],
    // The evicted Pods are terminating, and not healthy. They need not be remembered.
    disruptedPods: {},
  };
}

function toDesired({ spec }: Unstructured, expected: number): number {
  const most = resolve(memberOf(spec, 'maxUnavailable'), expected);
  return most === undefined ? (resolve(memberOf(spec, 'minAvailable'), expected) ?? 0) : Math.max(0, expected - most);
}

/** Returns a number or a percentage of `total`, rounded up. */
function resolve(value: unknown, total: number): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  const percent = typeof value === 'string' ? /^(\d+)%$/.exec(value)?.[1] : undefined;
  return percent === undefined ? undefined : Math.ceil((Number(percent) / 100) * total);
}

function toCondition({ metadata, status }: Unstructured, isAllowed: boolean, now: Instant): JsonObject {
  const type = 'DisruptionAllowed';
  const state = isAllowed ? 'True' : 'False';
  const list = memberOf(status, 'conditions');
  const before = (Array.isArray(list) ? list.filter(isJsonObject) : []).find(each => each['type'] === type);
  return {
    type,
    status: state,
    reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime: before?.['status'] === state ? before['lastTransitionTime'] : toTime(now),
  };
}
