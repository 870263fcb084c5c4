// The conditions of a ClusterClass. VariablesReady: whether Clusters can use its variables. RefVersionsUpToDate: whether it
// references its templates in the newest version of their contract.
import { versionOf } from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
  v1Beta1Unknown,
} from '@capi-serverless/cluster-api/conditions';
import type { Outdated, TemplateCheck } from '../phases/check-templates.ts';
import { variablesProblem, variablesReadyType } from '../phases/gather-variables.ts';
import type { Variables } from '../seen.ts';

const discoveryFailed = 'VariableDiscoveryFailed';

export function variablesReady(variables: Variables): ConditionDraft {
  const message = discoveryMessage(variables);
  return message === undefined
    ? { type: variablesReadyType, status: 'True', reason: 'VariablesReady' }
    : { type: variablesReadyType, status: 'False', reason: discoveryFailed, message };
}

export function v1Beta1VariablesReconciled(variables: Variables): V1Beta1Draft {
  const message = discoveryMessage(variables);
  return message === undefined
    ? v1Beta1True('VariablesReconciled')
    : v1Beta1False('VariablesReconciled', { reason: discoveryFailed, severity: 'Error', message });
}

function discoveryMessage(variables: Variables): string | undefined {
  const problem = variablesProblem(variables);
  return problem === undefined ? undefined : `VariableDiscovery failed: ${problem}`;
}

const refVersionsType = 'RefVersionsUpToDate';
const unknown = { reason: 'InternalError', message: 'Please check controller logs for errors' };

/** The condition is Unknown if the version of any template could not be checked. */
export function refVersionsUpToDate({ errors, outdated }: TemplateCheck): ConditionDraft {
  if (errors.length > 0) {
    return { type: refVersionsType, status: 'Unknown', ...unknown };
  }
  return outdated.length > 0
    ? { type: refVersionsType, status: 'False', reason: 'RefVersionsNotUpToDate', message: outdatedMessage(outdated) }
    : { type: refVersionsType, status: 'True', reason: 'RefVersionsUpToDate' };
}

export function v1Beta1RefVersionsUpToDate({ errors, outdated }: TemplateCheck): V1Beta1Draft {
  if (errors.length > 0) {
    return v1Beta1Unknown(refVersionsType, unknown);
  }
  return outdated.length > 0
    ? v1Beta1False(refVersionsType, {
        reason: 'OutdatedRefVersions',
        severity: 'Warning',
        message: outdatedMessage(outdated),
      })
    : v1Beta1True(refVersionsType);
}

function outdatedMessage(outdated: readonly Outdated[]): string {
  const lines = outdated.map(
    ({ ref, latest }) => `* ${ref.kind} ${ref.name}: current: ${versionOf(ref.apiVersion)}, latest: ${latest}`,
  );
  return ['The following templateRefs are not using the latest apiVersion:', ...lines].join('\n');
}
