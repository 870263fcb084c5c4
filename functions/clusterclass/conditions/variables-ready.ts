// The condition VariablesReady. It reports whether Clusters can use the variables of the class.
import {
  type ConditionDraft,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import { variablesProblem, variablesReadyType } from '../phases/gather-variables.ts';
import type { Variables } from '../seen.ts';

const reason = 'VariableDiscoveryFailed';

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
