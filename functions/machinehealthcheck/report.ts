// The report of one pass over a MachineHealthCheck: counters, conditions, events and the result.
import { type JsonObject, toRecord } from '@capi-serverless/apimachinery';
import {
  type Condition,
  type ConditionDraft,
  deleteCondition,
  getCondition,
  setConditions,
  setV1Beta1Condition,
  type V1Beta1Condition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import {
  applied,
  changesAfter,
  type EventDraft,
  failureOf,
  noProgress,
  type Outcomes,
  type Report,
  resultOf,
} from '@capi-serverless/reconciler';
import type { MachineHealthCheck } from '../../shared/api/machine-health-check/reader.ts';
import { pausedOf } from './phases/gate.ts';
import { createRequestId } from './phases/plan-requests.ts';
import type { TriggerState } from './phases/trigger.ts';
import type { HealthCheckPlan, TargetsPlan } from './plan.ts';

const allowedType = 'RemediationAllowed';
const templateType = 'ExternalRemediationTemplateAvailable';
const requestType = 'ExternalRemediationRequestAvailable';

/** If Machines or Nodes could not be read, no status is written. */
export function report(plan: HealthCheckPlan, outcomes: Outcomes): Report {
  const progress = changesAfter(plan.steps, outcomes).reduce(applied, noProgress);
  const result = resultOf(progress);
  return plan.step === 'withoutTargets'
    ? { events: [], result }
    : { ...targetsReport(plan, progress.errors.length === 0, outcomes), result };
}

function targetsReport(plan: TargetsPlan, isSettled: boolean, outcomes: Outcomes): Omit<Report, 'result'> {
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
    return { status: { status: counted }, events: [] };
  }
  const status = {
    ...counted,
    remediationsAllowed: trigger.value.isAllowed ? trigger.value.remaining : 0,
    conditions: toConditions(plan, trigger.value),
    ...toDeprecated(check, toV1Beta1(plan, trigger.value, outcomes)),
    ...(isSettled ? { observedGeneration: check.metadata.generation } : {}),
  };
  return { status: { status }, events: toEvents(plan, trigger.value) };
}

function toConditions({ seen, now }: TargetsPlan, state: TriggerState): readonly Condition[] {
  const { check, cluster } = seen;
  const options = { generation: check.metadata.generation, now };
  return setConditions(check.status.conditions, [pausedOf(check, cluster), allowedDraft(state)], options);
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
