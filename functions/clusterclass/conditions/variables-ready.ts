// VariablesReady: whether Clusters can use the variables of the class.
import { toAggregateText } from '../../../shared/api/aggregate-text.ts';
import type { ConditionDraft, V1Beta1Draft } from '../../../shared/conditions/condition.ts';
import { v1Beta1False, v1Beta1True } from '../../../shared/conditions/v1beta1.ts';
import { type Variables, variablesReadyType } from '../phases/variables.ts';

const reason = 'VariableDiscoveryFailed';

/** What is wrong with the variables; undefined when nothing is. */
export function variablesProblem(variables: Variables): string | undefined {
  if (variables.state === 'errors') {
    return toAggregateText(variables.errors);
  }
  const { conflicts } = variables;
  return conflicts.length > 0 ? `the following variables have conflicting schemas: ${conflicts.join(',')}` : undefined;
}

export function variablesReady(variables: Variables): ConditionDraft {
  const message = toMessage(variables);
  return message === undefined
    ? { type: variablesReadyType, status: 'True', reason: 'VariablesReady' }
    : { type: variablesReadyType, status: 'False', reason, message };
}

export function v1Beta1VariablesReconciled(variables: Variables): V1Beta1Draft {
  const message = toMessage(variables);
  return message === undefined
    ? v1Beta1True('VariablesReconciled')
    : v1Beta1False('VariablesReconciled', { reason, severity: 'Error', message });
}

function toMessage(variables: Variables): string | undefined {
  const problem = variablesProblem(variables);
  return problem === undefined ? undefined : `VariableDiscovery failed: ${problem}`;
}
