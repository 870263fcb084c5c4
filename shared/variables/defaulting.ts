// Applies the defaults of variable schemas.
import {
  type Checked,
  type FieldError,
  internalError,
  invalid,
  invalidValue,
  isJsonObject,
  valid,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import { memberOf } from './json-type.ts';
import type { ClusterVariable, StatusVariable, VariableSchema } from './schema.ts';
import { indexDefinitions, rawOf } from './value-index.ts';
import { allowWork, isTooMuchWork, maxSteps, stepsPerVisit, type Work } from './work.ts';

/** The units of the common meter for each member of a map that is copied. */
const unitsPerMember = 128;

interface ListToDefault {
  readonly values: readonly ClusterVariable[];
  /** The variables in `ClusterClass.status.variables`. */
  readonly variables: readonly StatusVariable[];
  /** The field that contains the values. */
  readonly path: string;
  /**
   * Whether missing variables are created from their defaults. True for the list of the Cluster, false for overrides.
   */
  readonly create: boolean;
  /** All lists of one object use the same work counter. */
  readonly meter?: WorkMeter | undefined;
}

interface Defaulted {
  /** The values are unchanged if there are errors. */
  readonly values: readonly ClusterVariable[];
  readonly errors: readonly FieldError[];
}

/** Returns the values in their order. Values that were created from defaults follow in the order of the definitions. */
export function defaultVariables({ values, variables, path, create, meter }: ListToDefault): Defaulted {
  const index = indexDefinitions(values, variables, path);
  if (!index.ok) {
    return { values, errors: index.error };
  }
  const given = new Set(values.map(({ name }) => name));
  const missing = create ? variables.filter(({ name }) => !given.has(name)) : [];
  const work = allowWork(maxSteps, meter);
  const defaulted: ClusterVariable[] = [];
  const errors: FieldError[] = [];
  for (const { name, value } of [...values, ...missing.map(({ name }) => ({ name, value: undefined }))]) {
    const definition = index.value.get(name);
    if (definition === undefined) {
      errors.push(invalidValue(`${path}[${name}]`, rawOf(value), 'variable is not defined'));
      continue;
    }
    const result = tryDefault(value, definition.schema.openAPIV3Schema, work);
    if (!result.ok) {
      return { values, errors: [...errors, internalError(`${path}[${name}]`, `variable "${name}" ${result.error}`)] };
    }
    if (result.value !== undefined) {
      defaulted.push({ name, value: result.value });
    }
  }
  return { values: errors.length > 0 ? values : defaulted, errors };
}

function tryDefault(value: unknown, schema: VariableSchema, work: Work): Checked<unknown> {
  try {
    return valid(defaultValue(value, schema, work));
  } catch (error) {
    if (isTooMuchWork(error)) {
      return invalid(error.message);
    }
    throw error;
  }
}

/** Returns the value with defaults for missing or null members at every level. Throws TooMuchWorkError. */
function defaultValue(value: unknown, schema: VariableSchema, work: Work): unknown {
  work.spend(stepsPerVisit);
  const isMissing = value === undefined || value === null;
  if (isMissing && schema.default !== undefined) {
    work.spend(JSON.stringify(schema.default).length);
    return defaultBelow(schema.default, schema, work);
  }
  return defaultBelow(value, schema, work);
}

function defaultBelow(
  value: unknown,
  { items, properties, additionalProperties }: VariableSchema,
  work: Work,
): unknown {
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((item: unknown) => defaultValue(item, items, work));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const members = new Map(Object.entries(value));
  work.meter?.charge(members.size * unitsPerMember);
  if (additionalProperties !== undefined) {
    for (const [name, member] of Object.entries(value)) {
      members.set(name, defaultValue(member, additionalProperties, work));
    }
  }
  for (const [name, property] of Object.entries(properties ?? {})) {
    const member = defaultValue(memberOf(value, name), property, work);
    if (member !== undefined) {
      members.set(name, member);
    }
  }
  return Object.fromEntries(members);
}
