// Validates the defaults of a schema. Each default must be valid and contain no unknown fields.
import { type FieldError, invalidValue, sortMembers } from '@capi-serverless/apimachinery';
import type { CompiledRules } from '@capi-serverless/cel';
import { checkDefault } from './check-value.ts';
import { sortedEntries } from './json-type.ts';
import { toFieldErrors } from './problem.ts';
import type { VariableSchema } from './schema.ts';
import { unknownFields } from './unknown-fields.ts';
import { problemsOfRules } from './validation-rules.ts';
import type { Work } from './work.ts';

export interface DefinitionNode {
  readonly schema: VariableSchema;
  readonly field: string;
  /** The rules of this schema and of those below it. */
  readonly rules: CompiledRules | undefined;
  readonly work: Work;
}

/** Defaults below `additionalProperties` are not validated, as in upstream. */
export function problemsOfDefaults(node: DefinitionNode): readonly FieldError[] {
  const { schema, field, rules, work } = node;
  const { items, properties } = schema;
  return [
    ...(schema.default === undefined ? [] : problemsOfDefault(schema.default, node)),
    ...(items === undefined
      ? []
      : problemsOfDefaults({ schema: items, field: `${field}.items`, rules: rules?.items, work })),
    ...sortedEntries(properties).flatMap(([name, below]) =>
      problemsOfDefaults({
        schema: below,
        field: `${field}.properties[${name}]`,
        rules: rules?.members.get(name),
        work,
      }),
    ),
  ];
}

function problemsOfDefault(value: unknown, node: DefinitionNode): readonly FieldError[] {
  const { schema, work } = node;
  const field = `${node.field}.default`;
  const unknown = unknownFields(value, schema, { path: '', work });
  const ofSchema = toFieldErrors(checkDefault(value, schema, work), field);
  return [
    ...(unknown.length > 0 ? [invalidValue(field, sortMembers(value), 'must not have unknown fields')] : []),
    ...(ofSchema.length > 0 ? ofSchema : problemsOfExampleByRules(value, { ...node, field }, value)),
  ];
}

/** Validates an example value in a definition. `field` is its path. */
export function problemsOfExampleByRules(
  value: unknown,
  { field, rules, work }: Omit<DefinitionNode, 'schema'>,
  old?: unknown,
): readonly FieldError[] {
  return problemsOfRules({ value, old, rules, field, work }).map(error =>
    error.field === field &&
    !/ evaluating rule: |no further validation rules|did not match a supported/.test(error.detail)
      ? { ...error, value: typeof value === 'object' ? undefined : value }
      : error,
  );
}
