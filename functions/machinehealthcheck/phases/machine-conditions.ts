// The conditions that a health check writes to a Machine, as a patch of its status. Pure.
import type { Instant, MergePatch } from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  getCondition,
  setCondition,
  setV1Beta1Condition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { externallyRemediatedType, healthyType, ownerRemediatedType } from './condition-types.ts';
import type { UnhealthyCause } from './health.ts';

const waiting = 'WaitingForRemediation';

/** The conditions of both families. */
interface MachineDrafts {
  readonly conditions: readonly ConditionDraft[];
  readonly v1beta1: readonly V1Beta1Draft[];
}

export const healthyDrafts: MachineDrafts = {
  conditions: [{ type: healthyType, status: 'True', reason: healthyType }],
  v1beta1: [v1Beta1True(healthyType)],
};

export function unhealthyDrafts({ reason, message, v1beta1Reason, v1beta1Message }: UnhealthyCause): MachineDrafts {
  const cause = { reason: v1beta1Reason, severity: 'Warning', message: v1beta1Message } as const;
  return {
    conditions: [{ type: healthyType, status: 'False', reason, message }],
    v1beta1: [v1Beta1False(healthyType, cause)],
  };
}

/** A condition that is False or Unknown belongs to the owner, which remediates the Machine already. */
export function ownerDrafts({ metadata, status }: WholeMachine): MachineDrafts {
  if (metadata.deletionTimestamp !== undefined) {
    return { conditions: [], v1beta1: [] };
  }
  const isOpen = isFree(getCondition(status.conditions, ownerRemediatedType));
  const isOpenV1Beta1 = isFree(getCondition(status.deprecated.v1beta1.conditions, ownerRemediatedType));
  return {
    conditions: isOpen
      ? [{ type: ownerRemediatedType, status: 'False', reason: waiting, message: 'Waiting for remediation' }]
      : [],
    v1beta1: isOpenV1Beta1 ? [v1Beta1False(ownerRemediatedType, { reason: waiting, severity: 'Warning' })] : [],
  };
}

/** The state of the request for an external remediation. */
export type RequestState =
  | { readonly state: 'created' }
  | { readonly state: 'exists' }
  | { readonly state: 'noTemplate'; readonly template: string }
  | { readonly state: 'refused' };

const refusals = ['RemediationTemplateNotFound', 'RemediationRequestCreationFailed'];

export function externalDrafts({ status }: WholeMachine, request: RequestState): MachineDrafts {
  const draft = (reason: string, message = ''): MachineDrafts => ({
    conditions: [{ type: externallyRemediatedType, status: 'False', reason, message }],
    v1beta1: [],
  });
  switch (request.state) {
    case 'created':
      return draft(waiting);
    case 'exists': {
      // The pass that created the request may have ended before it wrote the condition.
      const stored = getCondition(status.conditions, externallyRemediatedType);
      return stored === undefined || refusals.includes(stored.reason)
        ? draft(waiting)
        : { conditions: [], v1beta1: [] };
    }
    case 'noTemplate':
      return draft('RemediationTemplateNotFound', `Error retrieving remediation template ${request.template}`);
    case 'refused':
      return draft('RemediationRequestCreationFailed', 'Please check controller logs for errors');
  }
}

/** Returns the body of the patch, or `undefined` if the Machine has these conditions. */
export function machinePatch(
  { metadata, status }: WholeMachine,
  drafts: readonly MachineDrafts[],
  now: Instant,
): MergePatch | undefined {
  const { generation } = metadata;
  const stored = { conditions: status.conditions, v1beta1: status.deprecated.v1beta1.conditions };
  const conditions = drafts
    .flatMap(each => each.conditions)
    .reduce((list, draft) => setCondition(list, draft, { generation, now }), stored.conditions);
  const v1beta1 = drafts
    .flatMap(each => each.v1beta1)
    .reduce((list, draft) => setV1Beta1Condition(list, draft, { now }), stored.v1beta1);
  const change = {
    ...(conditions === stored.conditions ? {} : { conditions }),
    ...(v1beta1 === stored.v1beta1 ? {} : { deprecated: { v1beta1: { conditions: v1beta1 } } }),
  };
  return Object.keys(change).length === 0 ? undefined : { status: change };
}

/**
 * Whether an Event tells that the Machine is marked: it becomes unhealthy, or for another reason, or its remediation
 * begins.
 */
export function isNewlyMarked({ status }: WholeMachine, { reason }: UnhealthyCause, remediatedType: string): boolean {
  const stored = getCondition(status.conditions, healthyType);
  const remediated = getCondition(status.conditions, remediatedType);
  return stored?.status !== 'False' || stored.reason !== reason || isFree(remediated);
}

/** Whether no remediation is in progress. */
function isFree(condition: { readonly status: string } | undefined): boolean {
  return condition === undefined || condition.status === 'True';
}
