// The report of one pass over a ClusterResourceSet: conditions and the result. There are no Events, as in upstream.
import { type Instant, type JsonObject, toAggregateText, toRecord } from '@capi-serverless/apimachinery';
import { parseTimestamp } from '@capi-serverless/apimachinery/timestamp';
import {
  type ConditionDraft,
  getCondition,
  setConditions,
  setV1Beta1Condition,
  toFittingMessage,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import {
  failedWrites,
  failureOf,
  type Outcomes,
  patchProblem,
  type Report,
  type Result,
  RetryableError,
  removeFinalizerId,
} from '@capi-serverless/reconciler';
import type { ClusterResourceSet } from '../../shared/api/cluster-resource-set/reader.ts';
import { type AppliedState, conclude, unmatchedState } from './phases/conclude.ts';
import { pausedOf } from './phases/gate.ts';
import type { MatchedPlan, ResourceSetPlan } from './plan.ts';

const appliedType = 'ResourcesApplied';
/** Secrets have no watch. */
const secretPeriodMs = 600_000;
const shortestWaitMs = 15_000;
/** An error of ten thousand objects is not logged as a whole. */
const longestError = 10_000;

export function report(plan: ResourceSetPlan, outcomes: Outcomes, now: Instant): Report {
  const { set } = plan;
  switch (plan.step) {
    case 'blocked':
      return { events: [], result: failed([plan.error]) };
    case 'unmatched':
      return {
        ...statusOf(set, { applied: unmatchedState(plan.error), isSettled: false, now }),
        events: [],
        result: failed([plan.error]),
      };
    case 'deletion': {
      const errors = [
        ...plan.cleaned.flatMap(({ id }) => failureOf(outcomes, id)?.message ?? []),
        ...(failedWrites([{ id: removeFinalizerId, problem: patchProblem(set.object) }], outcomes) ?? []),
      ];
      return { events: [], result: errors.length === 0 ? { kind: 'done' } : failed(errors) };
    }
    case 'clusters':
      return clustersReport(plan, outcomes);
  }
}

function failed(errors: readonly string[], retryAfterMs?: number): Result {
  const text = toFittingMessage(toAggregateText(errors), longestError);
  return {
    kind: 'failed',
    error: retryAfterMs === undefined ? new Error(text) : new RetryableError(text, { retryAfterMs }),
    terminal: false,
  };
}

function clustersReport(plan: MatchedPlan, outcomes: Outcomes): Report {
  const { set, now } = plan;
  const { applied, errors, isStatic, isPostponed, hasProgress } = conclude(plan, outcomes);
  const isDown = plan.clusters.clusters.some(each => each.isDown);
  const isSettled = errors.length === 0 && !isPostponed && !isDown;
  return {
    ...statusOf(set, { applied, isSettled, now }),
    events: [],
    result: resultOf(plan, { errors, isStatic, isPostponed, hasProgress }),
  };
}

interface Ending {
  readonly errors: readonly string[];
  readonly isStatic: boolean;
  readonly isPostponed: boolean;
  readonly hasProgress: boolean;
}

/** Without progress, a pass that ran out of time is retried with backoff. */
function resultOf(plan: MatchedPlan, { errors, isStatic, isPostponed, hasProgress }: Ending): Result {
  if (isPostponed && hasProgress) {
    return { kind: 'again' };
  }
  if (errors.length > 0) {
    const isWrong = plan.resources.some(({ state }) => state === 'wrongType');
    return failed(errors, isStatic ? (isWrong ? waitFor(plan) : secretPeriodMs) : undefined);
  }
  if (isPostponed) {
    return failed(['the objects could not be applied in the time of one pass']);
  }
  const secrets = plan.resources.filter(({ kind }) => kind === 'Secret');
  if (secrets.some(({ state }) => state === 'missing')) {
    return { kind: 'requeueAfter', ms: waitFor(plan) };
  }
  return secrets.length > 0 && plan.set.spec.strategy === 'Reconcile'
    ? { kind: 'requeueAfter', ms: secretPeriodMs }
    : { kind: 'done' };
}

/** Half of the time for which the condition has been False. */
function waitFor({ set, now }: MatchedPlan): number {
  const stored = getCondition(set.status.conditions, appliedType);
  const since = parseTimestamp(stored?.status === 'False' ? stored.lastTransitionTime : '');
  const ageMs = since.ok ? now - since.value : 0;
  return Math.min(secretPeriodMs, Math.max(shortestWaitMs, Math.floor(ageMs / 2)));
}

interface StatusInput {
  readonly applied: AppliedState | undefined;
  readonly isSettled: boolean;
  readonly now: Instant;
}

function statusOf(set: ClusterResourceSet, { applied, isSettled, now }: StatusInput): Pick<Report, 'status'> {
  const { generation } = set.metadata;
  const stored = toRecord(set.object.status);
  const drafts = [pausedOf(set), applied === undefined ? undefined : appliedCondition(applied)];
  return {
    status: {
      status: {
        ...stored,
        conditions: setConditions(set.status.conditions, drafts, { generation, now }),
        ...toDeprecated(set, applied, now),
        ...(isSettled ? { observedGeneration: generation } : {}),
      },
    },
  };
}

function appliedCondition(applied: AppliedState): ConditionDraft {
  return applied.status === 'True'
    ? { type: appliedType, status: 'True', reason: 'Applied' }
    : { type: appliedType, status: 'False', reason: applied.reason, message: applied.message };
}

function toDeprecated(
  { object, status }: ClusterResourceSet,
  applied: AppliedState | undefined,
  now: Instant,
): JsonObject {
  const before = status.deprecated.v1beta1.conditions;
  const draft =
    applied === undefined
      ? undefined
      : applied.status === 'True'
        ? v1Beta1True(appliedType)
        : v1Beta1False(appliedType, applied.v1beta1);
  const conditions = setV1Beta1Condition(before, draft, { now });
  if (conditions === before) {
    return {};
  }
  const deprecated = toRecord(toRecord(object.status)['deprecated']);
  return { deprecated: { ...deprecated, v1beta1: { ...toRecord(deprecated['v1beta1']), conditions } } };
}
