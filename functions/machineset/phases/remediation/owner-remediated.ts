// The condition OwnerRemediated of a Machine, in both families.
import { type Instant, type JsonObject, type MergePatch, sameJson } from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  setCondition,
  setV1Beta1Condition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { isHealedIn, machineDeletingReason } from './remediation-choice.ts';

const type = 'OwnerRemediated';

/** The state of one remediation. Absent: the family is not changed. */
export interface RemediationState {
  readonly condition: ConditionDraft;
  readonly v1beta1?: V1Beta1Draft;
}

function isFalse(reason: string, message: string): ConditionDraft {
  return { type, status: 'False', reason, message };
}

export const refusedState: RemediationState = {
  condition: isFalse('CannotBeRemediated', "Machine won't be remediated because it is pending removal due to rollout"),
};

/** Clients know the field of the message by its v1beta1 path. */
export function deferredState(maxInFlight: string): RemediationState {
  const limit = `spec.strategy.remediation.maxInFlight is ${maxInFlight}`;
  const message = `Waiting because there are already too many remediations in progress (${limit})`;
  return { condition: isFalse('RemediationDeferred', message) };
}

export function blockedState(messages: readonly string[]): RemediationState {
  return {
    condition: isFalse('RemediationDeferred', messages.map(message => `* ${message}`).join('\n')),
    v1beta1: v1Beta1False(type, {
      reason: 'WaitingForRemediation',
      severity: 'Warning',
      message: messages.join('; '),
    }),
  };
}

export const deletingState: RemediationState = {
  condition: isFalse(machineDeletingReason, 'Machine is deleting'),
  v1beta1: v1Beta1True(type),
};

/** Returns the status after the change, as WholeMachine has it. */
export function withState(machine: WholeMachine, state: RemediationState, now: Instant): WholeMachine['status'] {
  const { status, metadata } = machine;
  const options = { generation: metadata.generation, now };
  return {
    ...status,
    conditions: setCondition(status.conditions, state.condition, options),
    deprecated: {
      v1beta1: { conditions: setV1Beta1Condition(status.deprecated.v1beta1.conditions, state.v1beta1, options) },
    },
  };
}

/** Returns the status without the requests to remediate a Machine that is healthy again. */
export function withoutRequest({ status }: WholeMachine): WholeMachine['status'] {
  const old = status.deprecated.v1beta1.conditions;
  return {
    ...status,
    conditions: isHealedIn(status.conditions) ? status.conditions.filter(isOther) : status.conditions,
    deprecated: { v1beta1: { conditions: isHealedIn(old) ? old.filter(isOther) : old } },
  };
}

function isOther(condition: { readonly type: string }): boolean {
  return condition.type !== type;
}

/** Returns the patch of the status, or `undefined` if nothing changes. */
export function statusPatch(machine: WholeMachine, after: WholeMachine['status']): MergePatch | undefined {
  const before = machine.status;
  const conditions = change(before.conditions, after.conditions);
  const old = change(before.deprecated.v1beta1.conditions, after.deprecated.v1beta1.conditions);
  const status: JsonObject = { ...conditions, ...(old === undefined ? {} : { deprecated: { v1beta1: old } }) };
  return Object.keys(status).length === 0 ? undefined : { status };
}

function change(before: readonly object[], after: readonly object[]): JsonObject | undefined {
  return sameJson(before, after) ? undefined : { conditions: after };
}
