// PodDisruptionBudgets as the eviction subresource of kube-apiserver applies them. Pure.
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
import {
  type Instant,
  isJsonObject,
  type JsonObject,
  type LabelSelector,
  matchesLabels,
  memberOf,
  selectorProblem,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { Stored } from './object.ts';
import { forbidden, type StatusError, tooManyRequests } from './status.ts';

const budgetKind = { group: 'policy', kind: 'poddisruptionbudget', plural: 'poddisruptionbudget' };
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

/** kube-apiserver refuses further evictions while a budget lists more Pods than this. */
const maxDisruptedPods = 2000;

/** The seconds that kube-apiserver suggests while a budget is new or changed. */
const unprocessedRetrySeconds = 10;

/** Budgets protect running Pods only. Other Pods are disrupted already. */
export function isProtected({ metadata, status }: Stored): boolean {
  const phase = memberOf(status, 'phase');
  return metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed' && phase !== 'Pending';
}

/** Returns true if the budget is in the namespace of the Pod and selects its labels. */
export function protects(budget: Unstructured, { metadata }: Unstructured): boolean {
  const selector = toSelector(memberOf(budget.spec, 'selector'));
  return (
    budget.metadata.namespace === metadata.namespace &&
    selector !== undefined &&
    selectorProblem(selector) === undefined &&
    matchesLabels(selector, metadata.labels ?? {})
  );
}

/** A missing selector selects nothing, and an empty one everything. */
function toSelector(value: unknown): LabelSelector | undefined {
  if (!isJsonObject(value)) {
    return undefined;
  }
  const { matchLabels, matchExpressions } = value;
  const labels = Object.entries(isJsonObject(matchLabels) ? matchLabels : {});
  return {
    matchLabels: Object.fromEntries(labels.map(([key, label]) => [key, String(label)])),
    matchExpressions: (Array.isArray(matchExpressions) ? matchExpressions : [])
      .filter(isJsonObject)
      .map(({ key, operator, values }) => ({
        key: String(key),
        operator: String(operator),
        values: Array.isArray(values) ? values.map(String) : [],
      })),
  };
}

/** Returns true if the eviction of the Pod does not count, because the Pod is not ready. */
export function isFree(budget: Stored, pod: Stored): boolean {
  const { currentHealthy, desiredHealthy } = countersOf(budget);
  return (
    conditionOf(pod, 'Ready')?.['status'] !== 'True' &&
    (memberOf(budget.spec, 'unhealthyPodEvictionPolicy') === 'AlwaysAllow' ||
      (currentHealthy >= desiredHealthy && desiredHealthy > 0))
  );
}

/** The status of a budget after the eviction of the Pod of this name. Throws TooManyRequests or Forbidden. */
export function withDisruption(budget: Stored, pod: string, now: Instant): JsonObject {
  const refused = refusalOf(budget);
  if (refused !== undefined) {
    throw refused;
  }
  const disruptionsAllowed = countersOf(budget).disruptionsAllowed - 1;
  return {
    ...statusOf(budget),
    disruptionsAllowed,
    disruptedPods: { ...disruptedPodsOf(budget), [pod]: toTimestamp(now) },
    ...(disruptionsAllowed === 0 ? { conditions: withExhausted(budget, now) } : {}),
  };
}

function refusalOf(budget: Stored): StatusError | undefined {
  const { name, generation = 0 } = budget.metadata;
  const { observedGeneration, disruptionsAllowed } = countersOf(budget);
  if (observedGeneration < generation) {
    const cause = `The disruption budget ${name} is still being processed by the server.`;
    return tooManyRequests(refusal, cause, unprocessedRetrySeconds);
  }
  if (disruptionsAllowed < 0) {
    return forbidden(budgetKind, name, 'pdb disruptions allowed is negative');
  }
  if (Object.keys(disruptedPodsOf(budget)).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return forbidden(budgetKind, name, why);
  }
  return disruptionsAllowed === 0 ? tooManyRequests(refusal, causeOf(budget), 0) : undefined;
}

function causeOf(budget: Stored): string {
  const { name } = budget.metadata;
  const { currentHealthy, desiredHealthy } = countersOf(budget);
  const { status, reason, message = '' } = conditionOf(budget, 'DisruptionAllowed') ?? {};
  const isExplained = status === 'False' && message !== '';
  if (isExplained && reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${String(message)}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const why = isExplained ? ` (${String(reason)}): ${String(message)}` : '';
  return `The disruption budget ${name} does not allow evicting pods currently${why}`;
}

function withExhausted(budget: Stored, now: Instant): readonly JsonObject[] {
  const type = 'DisruptionAllowed';
  const before = conditionOf(budget, type);
  const lastTransitionTime = before?.['status'] === 'False' ? before['lastTransitionTime'] : toTimestamp(now);
  const { observedGeneration } = countersOf(budget);
  const condition = {
    type,
    status: 'False',
    observedGeneration,
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  };
  const all = conditionsOf(budget);
  return before === undefined ? [...all, condition] : all.map(each => (each === before ? condition : each));
}

interface Counters {
  readonly observedGeneration: number;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
}

function countersOf({ status }: Stored): Counters {
  const numberAt = (member: keyof Counters): number => {
    const value = memberOf(status, member);
    return typeof value === 'number' ? value : 0;
  };
  return {
    observedGeneration: numberAt('observedGeneration'),
    disruptionsAllowed: numberAt('disruptionsAllowed'),
    currentHealthy: numberAt('currentHealthy'),
    desiredHealthy: numberAt('desiredHealthy'),
  };
}

function statusOf({ status }: Stored): JsonObject {
  return isJsonObject(status) ? status : {};
}

function disruptedPodsOf(budget: Stored): JsonObject {
  const pods = memberOf(budget.status, 'disruptedPods');
  return isJsonObject(pods) ? pods : {};
}

function conditionsOf({ status }: Stored): readonly JsonObject[] {
  const conditions = memberOf(status, 'conditions');
  return Array.isArray(conditions) ? conditions.filter(isJsonObject) : [];
}

function conditionOf(object: Stored, type: string): JsonObject | undefined {
  return conditionsOf(object).find(condition => condition['type'] === type);
}

/** The status of a Pod whose eviction was accepted. */
export function withEvicted(pod: Stored, now: Instant): JsonObject {
  const type = 'DisruptionTarget';
  const before = conditionOf(pod, type);
  const condition = {
    type,
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: before?.['status'] === 'True' ? before['lastTransitionTime'] : toTimestamp(now),
  };
  return {
    ...statusOf(pod),
    conditions: [...conditionsOf(pod).filter(each => each !== before), condition],
  };
}
