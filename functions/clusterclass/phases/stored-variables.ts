// Converts variables to the form in which the API server stores them in a status. Without this conversion, every pass
// finds a difference and writes them again.
import type { StatusVariable, StatusVariableDefinition, VariableSchema } from '../../../shared/variables/index.ts';

/** The default that the API server sets for the reason of a rule at the root of a schema. */
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

/** The API server sets defaults and validates only at the root of a schema. */
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

/** The API server rejects empty objects and lists here. */
function unlessEmpty<T extends object>(value: T | undefined): T | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function withoutUndefined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // true: the text is the same JSON, and variables are JSON
}
