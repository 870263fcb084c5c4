// Finds the definition of each value; what is wrong with the lists themselves is told alone.
import { toAggregateText } from '../api/aggregate-text.ts';
import { type FieldError, forbidden, invalidValue, toSortedJson } from '../api/field-error.ts';
import { findTooLarge } from './limits.ts';
import type { ClusterVariable, StatusVariable, StatusVariableDefinition } from './schema.ts';

/** The definition that counts for each variable, or what is wrong with the lists. */
export type Definitions =
  | { readonly ok: true; readonly byName: ReadonlyMap<string, StatusVariableDefinition | undefined> }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** A value as messages show it; one that is not there is null. */
export function rawOf(value: unknown): string {
  return toSortedJson(value ?? null);
}

/** Definitions by name; errors when a value is too large or set twice, or when the definitions contradict each other. */
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
    return { ok: false, errors: tooLarge };
  }
  const repeated = repeatedValues(values, path);
  const broken = variables.flatMap(problemsOfDefinitions);
  if (repeated.length > 0) {
    return { ok: false, errors: repeated };
  }
  if (broken.length > 0) {
    const names = `[${variables.map(({ name }) => `Name: ${name}`).join(',')}]`;
    const detail = `variable definitions in the ClusterClass not valid: ${toAggregateText(broken)}`;
    return { ok: false, errors: [invalidValue(path, names, detail)] };
  }
  return { ok: true, byName: new Map(variables.map(({ name, definitions: [first] }) => [name, first])) };
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
