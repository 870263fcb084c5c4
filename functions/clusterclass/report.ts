// The report of one pass over a ClusterClass: status with variables and conditions, and the result.
import { type Instant, toRecord } from '@capi-serverless/apimachinery';
import { setConditions, setV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import { applied, changesAfter, noProgress, type Outcomes, type Report, resultOf } from '@capi-serverless/reconciler';
import type { ClusterClass } from '../../shared/api/cluster-class/reader.ts';
import {
  refVersionsUpToDate,
  v1Beta1RefVersionsUpToDate,
  v1Beta1VariablesReconciled,
  variablesReady,
} from './conditions/class-conditions.ts';
import type { TemplateCheck } from './phases/check-templates.ts';
import { pausedOf } from './phases/gate.ts';
import type { WholeClassPlan } from './plan.ts';
import type { Variables } from './seen.ts';

/** Returns no Events, because upstream records none. */
export function report({ seen, steps }: WholeClassPlan, outcomes: Outcomes, now: Instant): Report {
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
