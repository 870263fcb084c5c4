// The variables of a class: its own and those that extensions define, validated and merged.
import { type Checked, mapChecked, printFieldError } from '@capi-serverless/apimachinery';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import {
  type ClusterClassVariable,
  conflictingVariables,
  mergeDefinitions,
  readVariableDefinitions,
  type StatusVariable,
  type VariableSource,
  validateVariableDefinitions,
} from '../../../shared/variables/index.ts';
import type { WholeView } from '../seen.ts';
import { problemsOfStorage } from './storable.ts';
import { toStored } from './stored-variables.ts';

export const variablesReadyType = 'VariablesReady';

/** `errors`: why there is no list. `known`: the list for the status, and the names of those with conflicting schemas. */
export type Variables =
  | { readonly state: 'errors'; readonly errors: readonly string[] }
  | { readonly state: 'known'; readonly list: readonly StatusVariable[]; readonly conflicts: readonly string[] };

/** After a first error the rest is neither validated nor merged: all or nothing. */
export function gatherVariables({ clusterClass, discoveries }: WholeView): Variables {
  const errors: string[] = [];
  const sources: VariableSource[] = [];
  const add = (from: string, checked: Checked<readonly ClusterClassVariable[]>, check: Check): void => {
    if (!checked.ok) {
      errors.push(checked.error);
      return;
    }
    sources.push({ from, variables: checked.value });
    if (errors.length === 0) {
      errors.push(...check(checked.value));
    }
  };
  add('inline', inlineVariables(clusterClass), isAccepted(clusterClass) ? () => [] : checkBelow('spec.variables'));
  for (const { patch, variables } of discoveries) {
    add(patch, variables, checkBelow(`${patch}.variables`));
  }
  if (errors.length > 0) {
    return { state: 'errors', errors };
  }
  const list = mergeDefinitions(sources).map(toStored);
  const refused = problemsOfStorage(list).map(printFieldError);
  return refused.length > 0
    ? { state: 'errors', errors: refused }
    : { state: 'known', list, conflicts: conflictingVariables(list) };
}

type Check = (variables: readonly ClusterClassVariable[]) => readonly string[];

function checkBelow(path: string): Check {
  return variables => validateVariableDefinitions(variables, path).map(printFieldError);
}

/** Of variables with one name the last one counts, as upstream: admission rejects duplicates. */
function inlineVariables({ spec }: ClusterClass): Checked<readonly ClusterClassVariable[]> {
  return mapChecked(readVariableDefinitions(spec.variables), variables => [
    ...new Map(variables.map(variable => [variable.name, variable])).values(),
  ]);
}

/** This generation was found valid before, also by upstream: it stays accepted. */
function isAccepted({ metadata, status }: ClusterClass): boolean {
  const condition = getCondition(status.conditions, variablesReadyType);
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation;
}
