// Finds the definition of each value. If the lists themselves are not valid, only this error is reported.
import {
  type Checked,
  type FieldError,
  forbidden,
  invalid,
  invalidValue,
  toAggregateText,
  toSortedJson,
  valid,
} from '@capi-serverless/apimachinery';
import { findTooLarge } from './limits.ts';
import type { ClusterVariable, StatusVariable, StatusVariableDefinition } from './schema.ts';

/** Returns the effective definition of each variable, or the errors of the lists. */
type Definitions = Checked<ReadonlyMap<string, StatusVariableDefinition | undefined>, readonly FieldError[]>;

/** A value as shown in messages. Null if absent. */
export function rawOf(value: unknown): string {
  return toSortedJson(value ?? null);
}

/** Returns definitions by name. Returns errors if a value is too large or repeated, or if definitions conflict. */
export function indexDefinitions(
  values: readonly ClusterVariable[],
  variables: readonly StatusVariable[],
  path: string,
): Definitions {
  const tooLarge = values.flatMap(({ name, value }) => {
    const problem = findTooLarge(value);
    return problem === undefined ? [] : [forbidden(`${path}[${name}].value`, problem)];
  });
  if (tooLarge.length > 0) {
    return invalid(tooLarge);
  }
  const repeated = repeatedValues(values, path);
  const broken = variables.flatMap(problemsOfDefinitions);
  if (repeated.length > 0) {
    return invalid(repeated);
  }
  if (broken.length > 0) {
    const names = `[${variables.map(({ name }) => `Name: ${name}`).join(',')}]`;
    const detail = `variable definitions in the ClusterClass not valid: ${toAggregateText(broken)}`;
    return invalid([invalidValue(path, names, detail)]);
  }
  return valid(new Map(variables.map(({ name, definitions: [first] }) => [name, first])));
}

function repeatedValues(values: readonly ClusterVariable[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return values.flatMap(({ name, value }) => {
    const repeated = seen.has(name);
    seen.add(name);
    return repeated ? [invalidValue(`${path}[${name}]`, rawOf(value), `variable "${name}" is set more than once`)] : [];
  });
}

function problemsOfDefinitions({ name, definitions, definitionsConflict }: StatusVariable): readonly string[] {
  if (definitions.length === 0) {
    return [`variable "${name}" has no definitions`];
  }
  return definitionsConflict ? [`variable "${name}" has conflicting definitions`] : [];
}
