// Validates variable values: schema, unknown fields, then rules. Only the errors of the first failed check are
// reported.
import {
  type FieldError,
  internalError,
  invalidValue,
  requiredValue,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import { checkValue } from './check-value.ts';
import { toFieldErrors } from './problem.ts';
import type { ClusterVariable, StatusVariable, StatusVariableDefinition, VariableSchema } from './schema.ts';
import { unknownFields } from './unknown-fields.ts';
import { problemsOfRules, type RulesForValues } from './validation-rules.ts';
import { indexDefinitions, rawOf } from './value-index.ts';
import { allowWork, isTooMuchWork, maxSteps, type Work } from './work.ts';

export interface ListToValidate {
  readonly values: readonly ClusterVariable[];
  /** The previous values of the list, for transition rules. Empty if unknown. */
  readonly oldValues: readonly ClusterVariable[];
  /** The variables in `ClusterClass.status.variables`. */
  readonly variables: readonly StatusVariable[];
  /** The field that contains the values. */
  readonly path: string;
  /** Whether required variables must have a value. True for the list of the Cluster, false for overrides. */
  readonly complete: boolean;
  /** All lists of one topology use the same object, which compiles the rules of each definition once. */
  readonly rules: RulesForValues;
  /** All lists of one object use the same work counter. */
  readonly meter?: WorkMeter | undefined;
}

/** Returns the errors of one list of values after defaulting. */
export function validateVariables(list: ListToValidate): readonly FieldError[] {
  const { values, variables, path, complete } = list;
  const index = indexDefinitions(values, variables, path);
  if (!index.ok) {
    return index.error;
  }
  const given = new Set(values.map(({ name }) => name));
  const missing = variables.filter(({ name }) => index.value.get(name)?.required === true && !given.has(name));
  return [
    ...(complete ? missing.map(({ name }) => requiredValue(path, `required variable "${name}" must be set`)) : []),
    ...problemsOfValues(list, index.value),
  ];
}

/** Returns the errors of one value against a schema, below `field`. Used for values that are not variables. */
export function validateBySchema(
  value: unknown,
  schema: VariableSchema,
  { field, meter }: { readonly field: string; readonly meter?: WorkMeter },
): readonly FieldError[] {
  try {
    return toFieldErrors(checkValue(value, schema, allowWork(maxSteps, meter)), field);
  } catch (error) {
    if (!isTooMuchWork(error)) {
      throw error;
    }
    return [internalError(field, error.message)];
  }
}

function problemsOfValues(
  { values, oldValues, path, rules, meter }: ListToValidate,
  definitions: ReadonlyMap<string, StatusVariableDefinition | undefined>,
): readonly FieldError[] {
  const old = new Map(oldValues.map(({ name, value }) => [name, value]));
  const work = allowWork(maxSteps, meter);
  const errors: FieldError[] = [];
  for (const { name, value } of values) {
    const field = `${path}[${name}]`;
    const definition = definitions.get(name);
    if (definition === undefined) {
      errors.push(invalidValue(field, rawOf(value), 'variable is not defined'));
      continue;
    }
    try {
      errors.push(...problemsOfValue({ name, value, old: old.get(name), definition, field, rules, work }));
    } catch (error) {
      if (!isTooMuchWork(error)) {
        throw error;
      }
      return [...errors, internalError(`${field}.value`, `variable "${name}" ${error.message}`)];
    }
  }
  return errors;
}

interface Value {
  readonly name: string;
  readonly value: unknown;
  readonly old: unknown;
  readonly definition: StatusVariableDefinition;
  readonly field: string;
  readonly rules: RulesForValues;
  readonly work: Work;
}

/** Each message contains the whole value, so the total length and number of messages are limited. */
const mostPrinted = 1_000_000;
const mostErrors = 1000;

function problemsOfValue({ name, value, old, definition, field, rules, work }: Value): readonly FieldError[] {
  const schema = definition.schema.openAPIV3Schema;
  const raw = rawOf(value);
  work.spend(raw.length);
  const most = Math.max(1, Math.min(mostErrors, Math.floor(mostPrinted / Math.max(1, raw.length))));
  const report = (errors: readonly FieldError[]): readonly FieldError[] =>
    errors.slice(0, most).map(error => ({ ...error, value: raw, detail: withoutPlace(error.detail) }));
  const ofSchema = toFieldErrors(checkValue(value, schema, work), `${field}.value`);
  if (ofSchema.length > 0) {
    return report(ofSchema);
  }
  const unknown = unknownFields(value, schema, { path: root, work }).map(withoutRoot);
  if (unknown.length > 0) {
    const detail = `"${unknown.slice(0, mostErrors).join(',')}" field(s) are not specified in the variable schema`;
    return [invalidValue(field, raw, `failed validation: ${detail} of variable "${name}"`)];
  }
  return report(problemsOfRules({ value, old, rules: rules(schema, work), field: `${field}.value`, work }));
}

/** The name of the value in paths of unknown fields. It is shown only before items of a list. */
const root = 'variableValue';

function withoutRoot(path: string): string {
  return path.startsWith(`${root}.`) ? path.slice(root.length + 1) : path;
}

/** For the value itself, the OpenAPI library reports " in body must …". */
function withoutPlace(detail: string): string {
  return detail.startsWith(' in body ') ? detail.slice(' in body '.length) : detail;
}
