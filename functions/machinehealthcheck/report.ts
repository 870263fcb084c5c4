// The report of one pass over a MachineHealthCheck: counters, conditions, events and the result.
import { type Instant, type JsonObject, toAggregateText, toRecord } from '@capi-serverless/apimachinery';
import {
  type Condition,
  type ConditionDraft,
  deleteCondition,
  getCondition,
  setCondition,
  setV1Beta1Condition,
  type V1Beta1Condition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import { type EventDraft, failureOf, type Outcomes, type Report, type Result } from '@capi-serverless/reconciler';
import type { MachineHealthCheck } from '../../shared/api/machine-health-check/reader.ts';
import { pausedBy } from './phases/health-check-gate.ts';
import { patchCheckId } from './phases/own-metadata.ts';
import type { HealthCheckPlan, TargetsPlan } from './phases/plan-health-check.ts';
import { createRequestId } from './phases/plan-requests.ts';
import type { TriggerState } from './phases/trigger.ts';
import type { HealthCheckEarlyEnd } from './seen.ts';

const allowedType = 'RemediationAllowed';
const templateType = 'ExternalRemediationTemplateAvailable';
const requestType = 'ExternalRemediationRequestAvailable';

export function report(plan: HealthCheckPlan, outcomes: Outcomes, now: Instant): Report {
  switch (plan.step) {
    case 'blocked':
      return { events: [], result: failed([plan.error]) };
    case 'withoutTargets':
      return { events: [], result: failed([plan.error, ...ownErrors(plan.check, outcomes)]) };
    case 'pausedCondition':
      return pausedReport(plan, now);
    case 'targets':
      return targetsReport(plan, outcomes);
  }
}

function pausedReport(
  { check, cluster }: Extract<HealthCheckEarlyEnd, { readonly step: 'pausedCondition' }>,
  now: Instant,
): Report {
  const paused = pausedBy(check, cluster);
  const conditions = setCondition(check.status.conditions, paused, { generation: check.metadata.generation, now });
  return {
    status: { status: { ...toRecord(check.object.status), conditions } },
    events: [],
    result: { kind: paused.status === 'True' ? 'done' : 'again' },
  };
}

function targetsReport(plan: TargetsPlan, outcomes: Outcomes): Report {
  const { seen, counts, trigger } = plan;
  const { check, targets } = seen;
  const stored = toRecord(check.object.status);
  const counted = {
    ...stored,
    expectedMachines: counts.expected,
    currentHealthy: counts.healthy,
    targets: targets.length === 0 ? undefined : targets.map(({ machine }) => machine.metadata.name),
  };
  if (!trigger.ok) {
    const error = `error checking if remediation is allowed: ${trigger.error}`;
    return { status: { status: counted }, events: [], result: failed([error, ...ownErrors(check, outcomes)]) };
  }
  const errors = [...machineErrors(plan, outcomes), ...ownErrors(check, outcomes)];
  const { generation } = check.metadata;
  const status = {
    ...counted,
    remediationsAllowed: trigger.value.isAllowed ? trigger.value.remaining : 0,
    conditions: toConditions(plan, trigger.value),
    ...toDeprecated(check, toV1Beta1(plan, trigger.value, outcomes)),
    ...(errors.length === 0 ? { observedGeneration: generation } : {}),
  };
  return { status: { status }, events: toEvents(plan, trigger.value), result: toResult(plan, errors) };
}

function toConditions({ seen, now }: TargetsPlan, state: TriggerState): readonly Condition[] {
  const { check, cluster } = seen;
  const options = { generation: check.metadata.generation, now };
  const paused = setCondition(check.status.conditions, pausedBy(check, cluster), options);
  return setCondition(paused, allowedDraft(state), options);
}

function allowedDraft(state: TriggerState): ConditionDraft {
  return state.isAllowed
    ? { type: allowedType, status: 'True', reason: allowedType }
    : { type: allowedType, status: 'False', reason: 'TooManyUnhealthy', message: state.message };
}

/** The conditions of external remediations report the last pass in which remediation was allowed. */
function toV1Beta1(plan: TargetsPlan, state: TriggerState, outcomes: Outcomes): readonly V1Beta1Condition[] {
  const { seen, now } = plan;
  const stored = seen.check.status.deprecated.v1beta1.conditions;
  const allowed = setV1Beta1Condition(stored, allowedV1Beta1(state), { now });
  return state.isAllowed
    ? [templateDraft(plan), requestDraft(plan, outcomes)].reduce(
        (list, { type, draft }) =>
          draft === undefined ? deleteCondition(list, type) : setV1Beta1Condition(list, draft, { now }),
        allowed,
      )
    : allowed;
}

function allowedV1Beta1(state: TriggerState): V1Beta1Draft {
  return state.isAllowed
    ? v1Beta1True(allowedType)
    : v1Beta1False(allowedType, { reason: 'TooManyUnhealthy', severity: 'Warning', message: state.message });
}

interface Failing {
  readonly type: string;
  /** `undefined`: the condition is removed. */
  readonly draft: V1Beta1Draft | undefined;
}

function templateDraft({ seen }: TargetsPlan): Failing {
  const template = seen.external?.template;
  const cause =
    template?.state === 'unreadable'
      ? ({ reason: 'ExternalRemediationTemplateNotFound', severity: 'Error', message: template.error } as const)
      : undefined;
  return { type: templateType, draft: cause && v1Beta1False(templateType, cause) };
}

function requestDraft({ seen }: TargetsPlan, outcomes: Outcomes): Failing {
  const failure = seen.targets
    .map(({ machine }) => failureOf(outcomes, createRequestId(machine.metadata.name)))
    .find(each => each !== undefined);
  const cause =
    failure === undefined
      ? undefined
      : ({
          reason: 'ExternalRemediationRequestCreationFailed',
          severity: 'Error',
          message: failure.message,
        } as const);
  return { type: requestType, draft: cause && v1Beta1False(requestType, cause) };
}

function toDeprecated({ object, status }: MachineHealthCheck, conditions: readonly V1Beta1Condition[]): JsonObject {
  if (conditions === status.deprecated.v1beta1.conditions) {
    return {};
  }
  const deprecated = toRecord(toRecord(object.status)['deprecated']);
  return { deprecated: { ...deprecated, v1beta1: { ...toRecord(deprecated['v1beta1']), conditions } } };
}

/** The Event is recorded when the condition changes. */
function toEvents({ seen, counts }: TargetsPlan, state: TriggerState): readonly EventDraft[] {
  if (state.isAllowed || counts.unhealthy === 0) {
    return [];
  }
  const { message } = state;
  const stored = getCondition(seen.check.status.conditions, allowedType);
  return stored?.status === 'False' && stored.message === message
    ? []
    : [{ type: 'Warning', reason: 'RemediationRestricted', message }];
}

function machineErrors({ machines }: TargetsPlan, outcomes: Outcomes): readonly string[] {
  return machines.flatMap(({ needed, errors }) => [
    ...errors,
    ...needed.flatMap(({ id, problem }) => {
      const failure = failureOf(outcomes, id);
      return failure === undefined ? [] : [`${problem}: ${failure.message}`];
    }),
  ]);
}

function ownErrors({ metadata }: MachineHealthCheck, outcomes: Outcomes): readonly string[] {
  const failure = failureOf(outcomes, patchCheckId);
  const name = `${metadata.namespace}/${metadata.name}`;
  return failure === undefined ? [] : [`failed to patch MachineHealthCheck ${name}: ${failure.message}`];
}

function failed(errors: readonly string[]): Result {
  return { kind: 'failed', error: new Error(toAggregateText(errors)), terminal: false };
}

function toResult({ nextLookMs }: TargetsPlan, errors: readonly string[]): Result {
  if (errors.length > 0) {
    return failed(errors);
  }
  return nextLookMs === undefined ? { kind: 'done' } : { kind: 'requeueAfter', ms: nextLookMs };
}
