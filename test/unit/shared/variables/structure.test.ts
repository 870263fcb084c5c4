// Definitions: the valid positions of each keyword, and the field in messages.

import { printFieldError } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { validateVariableDefinitions } from '../../../../shared/variables/index.ts';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { aVariable } from './builders.ts';

const root = 'v[n].schema.openAPIV3Schema';

/** Returns the errors without the field of the schema. */
function reported(schema: VariableSchema): readonly string[] {
  return validateVariableDefinitions([aVariable('n', schema)], 'v').map(error =>
    printFieldError(error).replace(root, ''),
  );
}

interface Row {
  readonly schema: VariableSchema;
  readonly errors: readonly string[];
  readonly reason: string;
}

const either = { 'x-kubernetes-int-or-string': true } as const;
const integerOrText = [{ type: 'integer' }, { type: 'string' }] as const;
const noType = 'Forbidden: must be empty to be structural';
const wrongExample = 'Invalid value: "integer":  in body must be of type string: "integer"';

describe('the structure of a definition', () => {
  it.each([
    { schema: { type: 'array' }, errors: ['.items: Required value: must be specified'], reason: 'a list has items' },
    {
      schema: { type: 'array', items: {} },
      errors: ['.items.type: Required value: must not be empty for specified array items'],
      reason: 'items have a type',
    },
    {
      schema: { type: 'object', properties: { a: {} } },
      errors: ['.properties[a].type: Required value: must not be empty for specified object fields'],
      reason: 'properties have a type',
    },
    {
      schema: { type: 'object', additionalProperties: {} },
      errors: ['.additionalProperties.type: Required value: must not be empty for specified object fields'],
      reason: 'members of any name have a type',
    },
    {
      schema: { ...either, 'x-kubernetes-preserve-unknown-fields': true },
      errors: [
        '.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
      reason: 'an integer or text has no fields to keep',
    },
    { schema: { ...either, anyOf: integerOrText }, errors: [], reason: 'an integer or text may name both types' },
    {
      schema: { ...either, allOf: [{ anyOf: integerOrText }] },
      errors: [],
      reason: 'an integer or text may name both types in the first of all schemas',
    },
    {
      schema: { ...either, allOf: [{}, { anyOf: integerOrText }] },
      errors: [`.allOf[1].anyOf[0].type: ${noType}`, `.allOf[1].anyOf[1].type: ${noType}`],
      reason: 'but not in another one',
    },
    {
      schema: { ...either, allOf: [{ anyOf: [{ type: 'integer' }] }] },
      errors: [`.allOf[0].anyOf[0].type: ${noType}`],
      reason: 'nor only one of both types',
    },
    {
      schema: { ...either, oneOf: [{ anyOf: integerOrText }] },
      errors: [`.oneOf[0].anyOf[0].type: ${noType}`, `.oneOf[0].anyOf[1].type: ${noType}`],
      reason: 'nor in one of several schemas',
    },
    {
      schema: { ...either, anyOf: [...integerOrText, {}] },
      errors: [`.anyOf[0].type: ${noType}`, `.anyOf[1].type: ${noType}`],
      reason: 'nor beside a third schema',
    },
    {
      schema: {
        type: 'object',
        not: { items: { anyOf: integerOrText }, properties: { a: { anyOf: integerOrText } } },
      },
      errors: [
        `.not.items.anyOf[0].type: ${noType}`,
        `.not.items.anyOf[1].type: ${noType}`,
        `.not.properties[a].anyOf[0].type: ${noType}`,
        `.not.properties[a].anyOf[1].type: ${noType}`,
      ],
      reason: 'nor below a combination',
    },
  ] as readonly Row[])('is checked at each level: $reason', ({ schema, errors }) => {
    expect(reported(schema)).toEqual(errors);
  });
});

describe('an example, a choice or a default', () => {
  const long = { example: 'x', maxLength: 0 };
  const tooLong = 'Too long: may not be more than 0 bytes';

  it.each([
    {
      schema: { type: 'object', additionalProperties: { type: 'string', example: 4 } },
      errors: [`.additionalProperties.example: ${wrongExample}`],
      reason: 'below members of any name',
    },
    {
      schema: { type: 'array', items: { type: 'string', example: 4 } },
      errors: [`.items.example: ${wrongExample}`],
      reason: 'below items',
    },
    {
      schema: { type: 'string', allOf: [long], anyOf: [long], oneOf: [long], not: long },
      errors: [
        `.not.example: ${tooLong}`,
        `.allOf[0].example: ${tooLong}`,
        `.oneOf[0].example: ${tooLong}`,
        `.anyOf[0].example: ${tooLong}`,
      ],
      reason: 'below each combination',
    },
    {
      schema: { type: 'string', enum: [null, 4] },
      errors: [`.enum[0]: ${wrongExample}`],
      reason: 'among choices, of which null is none',
    },
    {
      schema: { type: 'array', items: { type: 'integer', default: 'x' } },
      errors: ['.items.default: Invalid value: "string":  in body must be of type integer: "string"'],
      reason: 'as a default of items',
    },
    {
      schema: { type: 'object', default: { z: 1, y: 2 }, properties: {} },
      errors: ['.default: Invalid value: {"y":2,"z":1}: must not have unknown fields'],
      reason: 'as a default with members that the schema lacks',
    },
    {
      schema: {
        type: 'object',
        properties: { a: { type: 'object', default: { z: 1 }, properties: { b: { type: 'integer', default: 'q' } } } },
      },
      errors: [
        '.properties[a].default: Invalid value: {"z":1}: must not have unknown fields',
        '.properties[a].properties[b].default: Invalid value: "string":  in body must be of type integer: "string"',
      ],
      reason: 'as defaults of two levels',
    },
  ] as readonly Row[])('is checked: $reason', ({ schema, errors }) => {
    expect(reported(schema)).toEqual(errors);
  });
});

describe('the rules of a definition', () => {
  const rules = (...list: readonly object[]) => ({ 'x-kubernetes-validations': list }) as VariableSchema; // true: each has a rule
  const shown = (rule: string, messageExpression = ''): string =>
    JSON.stringify({
      Rule: rule,
      Message: '',
      MessageExpression: messageExpression,
      Reason: null,
      FieldPath: '',
      OptionalOldSelf: null,
    });
  const expensive = 'estimated rule & messageExpression cost total';
  const remedy =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
  const at = '.x-kubernetes-validations';

  it.each([
    {
      schema: { type: 'string', ...rules(...Array.from({ length: 11 }, (_, n) => ({ rule: n < 10 ? 'true' : '1' }))) },
      errors: [`${at}[10].rule: Invalid value: ${shown('1')}: cel expression must evaluate to a bool`],
      reason: 'the message shows the rule that it is about',
    },
    {
      schema: { type: 'string', ...rules({ rule: 'true', message: 'a\nb' }) },
      errors: [`${at}[0].message: Invalid value: "a\\nb": message must not contain line breaks`],
      reason: 'a message that is not valid is shown alone',
    },
    {
      schema: { type: 'string', ...rules({ rule: 'true', fieldPath: '.a' }) },
      errors: [
        `${at}[0].fieldPath: Invalid value: ".a": fieldPath must be a valid path: does not refer to a valid field`,
      ],
      reason: 'a field path that is not valid is shown alone',
    },
    {
      schema: { type: 'string', ...rules({ rule: '1', fieldPath: '.a' }) },
      errors: [
        `${at}[0].fieldPath: Invalid value: ".a": fieldPath must be a valid path: does not refer to a valid field`,
      ],
      reason: 'a rule is reported once its other fields are valid',
    },
    {
      schema: {
        type: 'object',
        properties: { a: { type: 'string', ...rules({ rule: '1' }) }, b: { type: 'string', example: 5 } },
      },
      errors: [
        `.properties[b].example: ${wrongExample}`,
        `.properties[a]${at}[0].rule: Invalid value: ${shown('1')}: cel expression must evaluate to a bool`,
      ],
      reason: 'errors of schemas come before those of rules',
    },
    {
      schema: {
        type: 'array',
        items: { type: 'array', items: { type: 'string', ...rules({ rule: "self.matches('a')" }) } },
      },
      errors: [
        `.items.items${at}[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${remedy}`,
        `.items.items${at}[0].rule: Forbidden: contributed to ${expensive} exceeding cost limit for entire OpenAPIv3 schema`,
        `: Forbidden: x-kubernetes-validations ${expensive} for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${remedy}`,
      ],
      reason: 'the total cost is reported last',
    },
  ] as readonly Row[])('are checked: $reason', ({ schema, errors }) => {
    expect(reported(schema)).toEqual(errors);
  });
});
