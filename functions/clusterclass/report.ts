// The report of one pass over a ClusterClass: status with variables and conditions, and the result.

import { type Instant, toAggregateText, toRecord } from '@capi-serverless/apimachinery';
import { setCondition, setV1Beta1Condition } from '@capi-serverless/cluster-api/conditions';
import type { Outcomes, Report } from '@capi-serverless/reconciler';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import { pausedCondition } from './conditions/paused.ts';
import { refVersionsUpToDate, v1Beta1RefVersionsUpToDate } from './conditions/ref-versions-up-to-date.ts';
import { v1Beta1VariablesReconciled, variablesProblem, variablesReady } from './conditions/variables-ready.ts';
import { checkTemplates, type TemplateCheck } from './phases/check-templates.ts';
import type { ClusterClassSeen, ObservedClass, Variables } from './seen.ts';

/** Returns no Events, because upstream records none. */
export function report(seen: ClusterClassSeen, outcomes: Outcomes, now: Instant): Report {
  switch (seen.step) {
    case 'pausedCondition':
      return pausedReport(seen.clusterClass, now);
    case 'whole':
      return wholeReport(seen, outcomes, now);
  }
}

function pausedReport(clusterClass: ClusterClass, now: Instant): Report {
  const { object, metadata, status } = clusterClass;
  const paused = pausedCondition(clusterClass);
  const conditions = setCondition(status.conditions, paused, { generation: metadata.generation, now });
  return {
    status: { status: { ...toRecord(object.status), conditions } },
    events: [],
    result: { kind: paused.status === 'True' ? 'done' : 'again' },
  };
}

interface Conclusion {
  readonly templates: TemplateCheck;
  readonly variables: Variables;
  readonly errors: readonly string[];
  readonly now: Instant;
}

function wholeReport(seen: ObservedClass, outcomes: Outcomes, now: Instant): Report {
  const { clusterClass, variables } = seen;
  const templates = checkTemplates(seen, outcomes);
  const errors = [...templates.errors, ...variableErrors(clusterClass, variables)];
  return {
    status: { status: toStatus(clusterClass, { templates, variables, errors, now }) },
    events: [],
    result:
      errors.length === 0
        ? { kind: 'done' }
        : { kind: 'failed', error: new Error(toAggregateText(errors)), terminal: false },
  };
}

function variableErrors({ metadata }: ClusterClass, variables: Variables): readonly string[] {
  const problem = variablesProblem(variables);
  return problem === undefined ? [] : [`failed to discover variables for ClusterClass ${metadata.name}: ${problem}`];
}

/** Returns the stored status with all owned fields replaced. observedGeneration is updated only if nothing failed. */
function toStatus(clusterClass: ClusterClass, { templates, variables, errors, now }: Conclusion) {
  const { object, metadata, status } = clusterClass;
  const { generation } = metadata;
  const drafts = [pausedCondition(clusterClass), refVersionsUpToDate(templates), variablesReady(variables)];
  const v1beta1 = [v1Beta1RefVersionsUpToDate(templates), v1Beta1VariablesReconciled(variables)];
  return {
    ...toRecord(object.status),
    ...(errors.length === 0 ? { observedGeneration: generation } : {}),
    ...(variables.state === 'known' ? { variables: variables.list.length > 0 ? variables.list : undefined } : {}),
    conditions: drafts.reduce((list, draft) => setCondition(list, draft, { generation, now }), status.conditions),
    deprecated: {
      v1beta1: {
        conditions: v1beta1.reduce(
          (list, draft) => setV1Beta1Condition(list, draft, { now }),
          status.deprecated.v1beta1.conditions,
        ),
      },
    },
  };
}
