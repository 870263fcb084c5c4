// The report of one pass over a ClusterClass: status with variables and conditions, and the result.
import { type Instant, toRecord, versionOf } from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  setConditions,
  setV1Beta1Conditions,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
  v1Beta1Unknown,
} from '@capi-serverless/cluster-api/conditions';
import { applied, changesAfter, noProgress, type Outcomes, type Report, resultOf } from '@capi-serverless/reconciler';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import type { Outdated, TemplateCheck } from './phases/check-templates.ts';
import { variablesProblem, variablesReadyType } from './phases/gather-variables.ts';
import { type ClassPlan, pausedOf } from './plan.ts';
import type { Variables } from './seen.ts';

/** Returns no Events, because upstream records none. */
export function report({ seen, steps }: ClassPlan, outcomes: Outcomes, now: Instant): Report {
  const { clusterClass, variables } = seen;
  const start = { ...noProgress, templates: { errors: [], outdated: [] } as TemplateCheck };
  const progress = changesAfter(steps, outcomes).reduce(applied<typeof start>, start);
  return {
    status: { status: toStatus(clusterClass, { ...progress, variables, now }) },
    events: [],
    result: resultOf(progress),
  };
}

interface Conclusion {
  readonly templates: TemplateCheck;
  readonly variables: Variables;
  readonly errors: readonly string[];
  readonly now: Instant;
}

/** Returns the stored status with all owned fields replaced. observedGeneration is updated only if nothing failed. */
function toStatus(clusterClass: ClusterClass, { templates, variables, errors, now }: Conclusion) {
  const { object, metadata, status } = clusterClass;
  const { generation } = metadata;
  const drafts = [pausedOf(clusterClass), refVersionsUpToDate(templates), variablesReady(variables)];
  const v1beta1 = [v1Beta1RefVersionsUpToDate(templates), v1Beta1VariablesReconciled(variables)];
  return {
    ...toRecord(object.status),
    ...(errors.length === 0 ? { observedGeneration: generation } : {}),
    ...(variables.state === 'known' ? { variables: variables.list.length > 0 ? variables.list : undefined } : {}),
    conditions: setConditions(status.conditions, drafts, { generation, now }),
    deprecated: {
      v1beta1: { conditions: setV1Beta1Conditions(status.deprecated.v1beta1.conditions, v1beta1, { now }) },
    },
  };
}

const discoveryFailed = 'VariableDiscoveryFailed';

/** Whether Clusters can use the variables of the class. */
function variablesReady(variables: Variables): ConditionDraft {
  const message = discoveryMessage(variables);
  return message === undefined
    ? { type: variablesReadyType, status: 'True', reason: 'VariablesReady' }
    : { type: variablesReadyType, status: 'False', reason: discoveryFailed, message };
}

function v1Beta1VariablesReconciled(variables: Variables): V1Beta1Draft {
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
/** Whether the class references its templates in the newest version of their contract. */
function refVersionsUpToDate({ errors, outdated }: TemplateCheck): ConditionDraft {
  if (errors.length > 0) {
    return { type: refVersionsType, status: 'Unknown', ...unknown };
  }
  return outdated.length > 0
    ? { type: refVersionsType, status: 'False', reason: 'RefVersionsNotUpToDate', message: outdatedMessage(outdated) }
    : { type: refVersionsType, status: 'True', reason: 'RefVersionsUpToDate' };
}

function v1Beta1RefVersionsUpToDate({ errors, outdated }: TemplateCheck): V1Beta1Draft {
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
