// Validates the rules of structural schemas, for the keywords that variables can use.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
import {
  compareText,
  type FieldError,
  forbidden,
  invalidValue,
  printFieldError,
  requiredValue,
} from '@capi-serverless/apimachinery';
import { sortedEntries, toComparableText } from './json-type.ts';
import { compilePattern } from './pattern.ts';
import type { VariableSchema } from './schema.ts';
import { stepsPerVisit, type Work } from './work.ts';

/** Returns all violations, sorted by text. */
export function problemsOfStructure(schema: VariableSchema, field: string, work: Work): readonly FieldError[] {
  return problemsOf({ schema, field, work }, 'object fields').toSorted((left, right) =>
    compareText(printFieldError(left), printFieldError(right)),
  );
}

interface Node {
  readonly schema: VariableSchema;
  readonly field: string;
  readonly work: Work;
}

function problemsOf(node: Node, level: 'object fields' | 'array items'): readonly FieldError[] {
  const { schema, field, work } = node;
  const { items, properties, additionalProperties, type } = schema;
  work.spend(stepsPerVisit);
  const isUntyped = schema['x-kubernetes-int-or-string'] === true || keepsUnknown(schema);
  return [
    ...(type === 'array' && items === undefined ? [requiredValue(`${field}.items`, 'must be specified')] : []),
    ...(type === undefined && !isUntyped
      ? [requiredValue(`${field}.type`, `must not be empty for specified ${level}`)]
      : []),
    ...(items === undefined ? [] : problemsOf({ schema: items, field: `${field}.items`, work }, 'array items')),
    ...sortedEntries(properties).flatMap(([name, below]) =>
      problemsOf({ schema: below, field: `${field}.properties[${name}]`, work }, 'object fields'),
    ),
    ...(additionalProperties === undefined
      ? []
      : problemsOf({ schema: additionalProperties, field: `${field}.additionalProperties`, work }, 'object fields')),
    ...problemsOfExtensions(schema, field),
    ...problemsOfChecks(node, isIntegerOrText(schema.anyOf)),
  ];
}

function keepsUnknown(schema: VariableSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function problemsOfExtensions(schema: VariableSchema, field: string): readonly FieldError[] {
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  return schema['x-kubernetes-int-or-string'] === true && keepsUnknown(schema)
    ? [invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, true, detail)]
    : [];
}

const integerOrText = toComparableText([{ type: 'integer' }, { type: 'string' }]);

/** Types in a combination are allowed only for int-or-string. */
function isIntegerOrText(branches: readonly VariableSchema[] | undefined): boolean {
  const plain = branches?.map(({ description: _, ...rest }) => rest);
  return plain?.length === 2 && toComparableText(plain) === integerOrText;
}

/** Validates value constraints and the schemas of combinations. */
function problemsOfChecks({ schema, field, work }: Node, skipAnyOf: boolean): readonly FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  const nested = (branch: VariableSchema, at: string, skip = false): readonly FieldError[] =>
    problemsOfNested({ schema: branch, field: `${field}.${at}`, work }, skip);
  return [
    ...(skipAnyOf ? [] : anyOf.flatMap((branch, index) => nested(branch, `anyOf[${index}]`))),
    ...allOf.flatMap((branch, index) =>
      nested(branch, `allOf[${index}]`, index === 0 && isIntegerOrText(branch.anyOf)),
    ),
    ...oneOf.flatMap((branch, index) => nested(branch, `oneOf[${index}]`)),
    ...(not === undefined ? [] : nested(not, 'not')),
    ...(pattern === undefined ? [] : problemsOfPattern(pattern, `${field}.pattern`, work)),
  ];
}

function problemsOfPattern(pattern: string, field: string, work: Work): readonly FieldError[] {
  const compiled = compilePattern(pattern, work);
  const why = "must be a valid regular expression, but isn't";
  return compiled.ok ? [] : [invalidValue(field, pattern, `${why}: ${compiled.error}`)];
}

const structural = 'to be structural';

/** Schemas in a combination may only contain value constraints and no structure. */
function problemsOfNested(node: Node, skipAnyOf: boolean): readonly FieldError[] {
  const { schema, field, work } = node;
  const { items, properties = {} } = schema;
  work.spend(stepsPerVisit);
  const none = (keyword: string, isThere: boolean, how: string): readonly FieldError[] =>
    isThere ? [forbidden(`${field}.${keyword}`, `must be ${how} ${structural}`)] : [];
  return [
    ...problemsOfChecks(node, skipAnyOf),
    ...(items === undefined ? [] : problemsOfNested({ schema: items, field: `${field}.items`, work }, false)),
    ...sortedEntries(properties).flatMap(([name, below]) =>
      problemsOfNested({ schema: below, field: `${field}.properties[${name}]`, work }, false),
    ),
    ...none('type', schema.type !== undefined, 'empty'),
    ...none('additionalProperties', schema.additionalProperties !== undefined, 'undefined'),
    ...none('default', schema.default !== undefined, 'undefined'),
    ...none('x-kubernetes-preserve-unknown-fields', keepsUnknown(schema), 'false'),
    ...none('x-kubernetes-int-or-string', schema['x-kubernetes-int-or-string'] === true, 'false'),
    ...none('x-kubernetes-validations', (schema['x-kubernetes-validations'] ?? []).length > 0, 'empty'),
    ...(Object.hasOwn(properties, 'metadata')
      ? [forbidden(`${field}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
  ];
}
