// The variables of a class: its own and those that extensions define, checked and brought together.
import { type Checked, mapChecked } from '../../../shared/api/checked.ts';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { printFieldError } from '../../../shared/api/field-error.ts';
import { getCondition } from '../../../shared/conditions/get.ts';
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

/** `errors`: what was wrong; then nothing is known. `known`: the list to show, and which of it contradicts itself. */
export type Variables =
  | { readonly state: 'errors'; readonly errors: readonly string[] }
  | { readonly state: 'known'; readonly list: readonly StatusVariable[]; readonly conflicts: readonly string[] };

/** After a first error the rest is neither checked nor brought together: all or nothing. */
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

/** Of variables with one name the last one counts, as with Cluster API, which leaves telling the user to admission. */
function inlineVariables({ spec }: ClusterClass): Checked<readonly ClusterClassVariable[]> {
  return mapChecked(readVariableDefinitions(spec.variables), variables => [
    ...new Map(variables.map(variable => [variable.name, variable])).values(),
  ]);
}

/** This very spec was found to be right before, by whoever reconciled the class then: it stays so. */
function isAccepted({ metadata, status }: ClusterClass): boolean {
  const condition = getCondition(status.conditions, variablesReadyType);
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation;
}
