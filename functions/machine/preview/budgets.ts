// Which PodDisruptionBudgets refuse the eviction of a Pod now. Follows the eviction subresource of the API server.
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
import { matchesLabels, selectorProblem } from '@capi-serverless/apimachinery';
import type { Pod } from '../../../shared/api/pod/reader.ts';
import type { PodDisruptionBudget } from '../../../shared/api/pod-disruption-budget/reader.ts';

/** Returns the reasons why the API server would refuse the eviction, or none. */
export function refusalsOf(pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly string[] {
  if (!isProtected(pod)) {
    return [];
  }
  const protecting = budgets.filter(budget => protects(budget, pod));
  if (protecting.length > 1) {
    const names = protecting.map(nameOf).join(', ');
    return [`more than one PodDisruptionBudget selects it (${names}): the API server refuses every eviction`];
  }
  return protecting.flatMap(budget => refusalOf(budget, pod) ?? []);
}

/** Pods that do not run, or that are being deleted, are evicted without a budget. */
function isProtected({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && !['Pending', 'Succeeded', 'Failed'].includes(status.phase);
}

function protects({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  return (
    metadata.namespace === pod.metadata.namespace &&
    spec.selector !== undefined &&
    selectorProblem(spec.selector) === undefined &&
    matchesLabels(spec.selector, pod.metadata.labels)
  );
}

function refusalOf(budget: PodDisruptionBudget, pod: Pod): string | undefined {
  const { metadata, status } = budget;
  if (isExempt(budget, pod)) {
    return undefined;
  }
  if (status.observedGeneration < metadata.generation) {
    return `PodDisruptionBudget ${nameOf(budget)}, which its controller has not processed yet`;
  }
  return status.disruptionsAllowed > 0
    ? undefined
    : `PodDisruptionBudget ${nameOf(budget)}, which allows no disruption (${status.currentHealthy} healthy, ${status.desiredHealthy} required)`;
}

/** A Pod that is not ready does not count as healthy, so its eviction may be allowed. */
function isExempt({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  const isReady = pod.status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  if (isReady) {
    return false;
  }
  return (
    spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' ||
    (status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy)
  );
}

function nameOf({ metadata }: PodDisruptionBudget): string {
  return `${metadata.namespace}/${metadata.name}`;
}
