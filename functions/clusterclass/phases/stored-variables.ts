// Variables in the form in which the API server keeps them in a status: otherwise what looks different would be written
// again in every pass.
import type { StatusVariable, StatusVariableDefinition, VariableSchema } from '../../../shared/variables/index.ts';

/** The reason that the API server fills in where a rule of the outermost level names none. */
const defaultReason = 'FieldValueInvalid';

export function toStored(variable: StatusVariable): StatusVariable {
  return withoutUndefined({ ...variable, definitions: variable.definitions.map(toStoredDefinition) });
}

function toStoredDefinition({ deprecatedV1Beta1Metadata, schema, ...definition }: StatusVariableDefinition) {
  return {
    ...definition,
    deprecatedV1Beta1Metadata: unlessEmpty(deprecatedV1Beta1Metadata),
    schema: { openAPIV3Schema: toStoredSchema(schema.openAPIV3Schema) },
  };
}

/** Only the outermost level has a schema by which the API server fills in and refuses. */
function toStoredSchema(schema: VariableSchema): VariableSchema {
  return {
    ...schema,
    required: unlessEmpty(schema.required),
    'x-metadata': unlessEmpty(schema['x-metadata']),
    'x-kubernetes-validations': unlessEmpty(schema['x-kubernetes-validations'])?.map(rule => ({
      ...rule,
      reason: rule.reason ?? defaultReason,
    })),
  };
}

/** The API server refuses what is there and holds nothing. */
function unlessEmpty<T extends object>(value: T | undefined): T | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function withoutUndefined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // the same JSON, and variables are nothing but JSON
}
