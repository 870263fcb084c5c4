// The report of one pass over a ClusterResourceSet: conditions and the result. There are no Events, as in upstream.
import { type Instant, type JsonObject, toAggregateText, toRecord } from '@capi-serverless/apimachinery';
import { parseTimestamp } from '@capi-serverless/apimachinery/timestamp';
import {
  getCondition,
  setCondition,
  setV1Beta1Condition,
  toFittingMessage,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import { failureOf, type Outcomes, type Report, type Result, RetryableError } from '@capi-serverless/reconciler';
import type { ClusterResourceSet } from '../../shared/api/cluster-resource-set/reader.ts';
import { addFinalizerId } from './decide.ts';
import { type AppliedState, conclude, unmatchedState } from './phases/conclude.ts';
import { removeFinalizerId } from './phases/plan-deletion.ts';
import type { MatchedPlan, ResourceSetPlan } from './phases/plan-set.ts';
import { pausedOf } from './phases/set-gate.ts';

const appliedType = 'ResourcesApplied';
/** Secrets have no watch. */
const secretPeriodMs = 600_000;
const shortestWaitMs = 15_000;
/** An error of ten thousand objects is not logged as a whole. */
const longestError = 10_000;

export function report(plan: ResourceSetPlan, outcomes: Outcomes, now: Instant): Report {
  const { set } = plan;
  switch (plan.step) {
    case 'finalizer':
      return { events: [], result: orFailed(patchErrors(set, addFinalizerId, outcomes), { kind: 'again' }) };
    case 'pausedCondition':
      return pausedReport(set, now);
    case 'blocked':
      return { events: [], result: failed([plan.error]) };
    case 'unmatched':
      return {
        ...statusOf(set, { applied: unmatchedState(plan.error), isSettled: false, now }),
        events: [],
        result: failed([plan.error]),
      };
    case 'deletion': {
      const errors = plan.deletion.cleaned.flatMap(({ id }) => failureOf(outcomes, id)?.message ?? []);
      const all = [...errors, ...patchErrors(set, removeFinalizerId, outcomes)];
      return { events: [], result: orFailed(all, { kind: 'done' }) };
    }
    case 'clusters':
      return clustersReport(plan, outcomes);
  }
}

function patchErrors({ metadata }: ClusterResourceSet, id: string, outcomes: Outcomes): readonly string[] {
  const failure = failureOf(outcomes, id);
  const name = `${metadata.namespace}/${metadata.name}`;
  return failure === undefined ? [] : [`failed to patch ClusterResourceSet ${name}: ${failure.message}`];
}

function orFailed(errors: readonly string[], otherwise: Result): Result {
  return errors.length === 0 ? otherwise : failed(errors);
}

function failed(errors: readonly string[], retryAfterMs?: number): Result {
  const text = toFittingMessage(toAggregateText(errors), longestError);
  return {
    kind: 'failed',
    error: retryAfterMs === undefined ? new Error(text) : new RetryableError(text, { retryAfterMs }),
    terminal: false,
  };
}

function pausedReport(set: ClusterResourceSet, now: Instant): Report {
  const paused = pausedOf(set);
  const conditions = setCondition(set.status.conditions, paused, { generation: set.metadata.generation, now });
  return {
    status: { status: { ...toRecord(set.object.status), conditions } },
    events: [],
    result: { kind: paused.status === 'True' ? 'done' : 'again' },
  };
}

function clustersReport(plan: MatchedPlan, outcomes: Outcomes): Report {
  const { set, now } = plan;
  const { applied, errors, isStatic, isPostponed, hasProgress } = conclude(plan, outcomes);
  const isSettled = errors.length === 0 && !isPostponed;
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
  const options = { generation, now };
  const paused = setCondition(set.status.conditions, pausedOf(set), options);
  return {
    status: {
      status: {
        ...stored,
        conditions:
          applied === undefined
            ? paused
            : setCondition(
                paused,
                applied.status === 'True'
                  ? { type: appliedType, status: 'True', reason: 'Applied' }
                  : { type: appliedType, status: 'False', reason: applied.reason, message: applied.message },
                options,
              ),
        ...toDeprecated(set, applied, now),
        ...(isSettled ? { observedGeneration: generation } : {}),
      },
    },
  };
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
