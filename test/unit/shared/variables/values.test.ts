// Values at the bounds of each keyword, with the messages of API servers.

import { printFieldError } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { defaultVariables, validateVariables } from '../../../../shared/variables/index.ts';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { rulesForValues } from '../../../../shared/variables/validation-rules.ts';
import { aStatusVariable } from './builders.ts';

function reported(schema: VariableSchema, value: unknown): readonly string[] {
  const list = { oldValues: [], path: 'v', complete: true, rules: rulesForValues() };
  const values = [{ name: 'n', value }];
  return validateVariables({ ...list, values, variables: [aStatusVariable('n', schema)] }).map(printFieldError);
}

interface Row {
  readonly schema: VariableSchema;
  readonly value: unknown;
  /** Returns the text after the field and the printed value. */
  readonly problems: readonly string[];
  readonly reason: string;
}

/** Returns the part of a message that does not repeat the value. */
function withoutValue(message: string): string {
  return message.replace(/^v\[n\](?:\.value)?: (?:Invalid|Unsupported) value: "(?:[^"\\]|\\.)*": /, '');
}

const list = { type: 'array', items: { type: 'integer' } } as const;
const record = { type: 'object', additionalProperties: { type: 'integer' } } as const;
const either = { 'x-kubernetes-int-or-string': true } as const;

const rows: readonly Row[] = [
  { schema: { ...list, minItems: 2 }, value: [1, 2], problems: [], reason: 'the fewest items' },
  { schema: { ...list, minItems: 2 }, value: [1], problems: ['should have at least 2 items'], reason: 'too few items' },
  { schema: { ...list, maxItems: 2 }, value: [1, 2], problems: [], reason: 'the most items' },
  {
    schema: { ...list, maxItems: 1 },
    value: [1, 2],
    problems: ['v[n].value: Too many: "[1,2]": must have at most 1 item'],
    reason: 'too many items',
  },
  {
    schema: { ...list, uniqueItems: true },
    value: [1, 2, 1],
    problems: ["shouldn't contain duplicates"],
    reason: 'an item twice',
  },
  { schema: { ...list, uniqueItems: true }, value: [1, 2], problems: [], reason: 'each item once' },
  { schema: { ...record, minProperties: 1 }, value: { a: 1 }, problems: [], reason: 'the fewest members' },
  {
    schema: { ...record, minProperties: 1 },
    value: {},
    problems: ['should have at least 1 properties'],
    reason: 'too few members',
  },
  { schema: { ...record, maxProperties: 1 }, value: { a: 1 }, problems: [], reason: 'the most members' },
  {
    schema: { ...record, maxProperties: 1 },
    value: { a: 1, b: 2 },
    problems: ['v[n].value: Too many: "{\\"a\\":1,\\"b\\":2}": must have at most 1 item'],
    reason: 'too many members',
  },
  { schema: { type: 'string', minLength: 2 }, value: 'ab', problems: [], reason: 'the shortest text' },
  {
    schema: { type: 'string', minLength: 2 },
    value: 'a',
    problems: ['should be at least 2 chars long'],
    reason: 'too short a text',
  },
  { schema: { type: 'string', maxLength: 2 }, value: 'ab', problems: [], reason: 'the longest text' },
  {
    schema: { type: 'string', maxLength: 2 },
    value: 'abc',
    problems: ['v[n].value: Too long: may not be more than 2 bytes'],
    reason: 'too long a text',
  },
  {
    schema: { type: 'string', pattern: '[', 'x-kubernetes-preserve-unknown-fields': true },
    value: 'a',
    problems: ["should match '[, but pattern is invalid: error parsing regexp: missing closing ]: `[`'"],
    reason: 'a pattern that no definition has now',
  },
  { schema: { type: 'integer' }, value: -(2 ** 63), problems: [], reason: 'the smallest integer' },
  {
    schema: { type: 'integer' },
    value: 2 ** 63,
    problems: ['must be of type integer: "number"', 'Checked value must be of type integer (default format) in '],
    reason: 'an integer beyond 64 bits',
  },
  {
    schema: { type: 'integer' },
    value: -(2 ** 64),
    problems: ['must be of type integer: "number"', 'Checked value must be of type integer (default format) in '],
    reason: 'a negative integer beyond 64 bits',
  },
  { schema: { type: 'integer', format: 'int32' }, value: 2 ** 31 - 1, problems: [], reason: 'the largest int32' },
  {
    schema: { type: 'integer', format: 'int32' },
    value: 2 ** 31,
    problems: ['Checked value must be of type integer with format int32 in '],
    reason: 'one more than an int32',
  },
  { schema: { type: 'integer', format: 'int32' }, value: -(2 ** 31), problems: [], reason: 'the smallest int32' },
  {
    schema: { type: 'integer', format: 'int32' },
    value: -(2 ** 31) - 1,
    problems: ['Checked value must be of type integer with format int32 in '],
    reason: 'one less than an int32',
  },
  { schema: { type: 'number', format: 'double' }, value: 1e300, problems: [], reason: 'a double beyond a float' },
  {
    schema: { type: 'integer', minimum: 3, exclusiveMinimum: true },
    value: 3,
    problems: ['should be greater than 3'],
    reason: 'an excluded minimum',
  },
  {
    schema: { type: 'integer', maximum: 3, exclusiveMaximum: true },
    value: 3,
    problems: ['should be less than 3'],
    reason: 'an excluded maximum',
  },
  { schema: { type: 'integer', minimum: 3, maximum: 3 }, value: 3, problems: [], reason: 'both bounds included' },
  {
    schema: { type: 'number', maximum: 1_000_000 },
    value: 1_000_001,
    problems: ['should be less than or equal to 1000000'],
    reason: 'a bound of a number without fraction is printed without exponent',
  },
  {
    schema: { type: 'string', format: 'ipv4' },
    value: 1.5,
    problems: ['must be of type ipv4: "float64"'],
    reason: 'a fraction instead of a text with a format',
  },
  {
    schema: { type: 'string', format: 'ipv4' },
    value: true,
    problems: ['must be of type ipv4: ""'],
    reason: 'a boolean instead of a text with a format',
  },
  {
    schema: { type: 'integer', format: 'int32' },
    value: 1.5,
    problems: ['must be of type int32: "float64"', 'Checked value must be of type integer with format int32 in '],
    reason: 'a fraction instead of an integer with a format',
  },
  { schema: either, value: [], problems: ['must be of type integer,string: "array"'], reason: 'neither of two types' },
  {
    schema: { 'x-kubernetes-preserve-unknown-fields': true, not: {} },
    value: null,
    problems: [],
    reason: 'null is compared with the type and the choices only',
  },
  {
    schema: { type: 'number', enum: [1] },
    value: '1',
    problems: ['must be of type number: "string"', 'supported values: "1"'],
    reason: 'a text is not converted to a number',
  },
  {
    schema: { ...either, enum: ['\ufffd'] },
    value: 0x110000,
    problems: [],
    reason: 'no character has this number, so the replacement character stands for it',
  },
  { schema: { ...either, enum: ['\u{10ffff}'] }, value: 0x10ffff, problems: [], reason: 'the last character' },
  { schema: { ...either, enum: ['\u0000'] }, value: 0, problems: [], reason: 'the first character' },
  { schema: { ...either, enum: ['\ud7ff'] }, value: 0xd7ff, problems: [], reason: 'the character before surrogates' },
  { schema: { ...either, enum: ['\ufffd'] }, value: 0xdfff, problems: [], reason: 'the last surrogate' },
  { schema: { ...either, enum: ['\ue000'] }, value: 0xe000, problems: [], reason: 'the character after surrogates' },
  {
    schema: { type: 'string', anyOf: [{ minLength: 3 }, { maxLength: 2 }] },
    value: 'ab',
    problems: [],
    reason: 'one of several schemas is enough',
  },
  {
    schema: { type: 'string', oneOf: [{ minLength: 1 }, { maxLength: 5 }] },
    value: 'ab',
    problems: ['"" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    reason: 'two valid schemas where one is allowed',
  },
  {
    schema: { type: 'string', oneOf: [{ minLength: 3 }, { maxLength: 1 }] },
    value: 'ab',
    problems: ['"" must validate one and only one schema (oneOf). Found none valid', 'should be at least 3 chars long'],
    reason: 'no valid schema where one is needed',
  },
  {
    schema: { type: 'string', allOf: [{ minLength: 3 }, { maxLength: 5 }] },
    value: 'ab',
    problems: ['should be at least 3 chars long', '"" must validate all the schemas (allOf)'],
    reason: 'one of two schemas is violated',
  },
  {
    schema: { type: 'string', allOf: [{ minLength: 3 }, { minLength: 4 }] },
    value: 'ab',
    problems: [
      'should be at least 3 chars long',
      'should be at least 4 chars long',
      '"" must validate all the schemas (allOf). None validated',
    ],
    reason: 'all of the schemas are violated',
  },
  {
    schema: { type: 'object', properties: { a: { type: 'object', properties: {} } } },
    value: { b: 1, a: { c: 1 } },
    problems: ['failed validation: "a.c,b" field(s) are not specified in the variable schema of variable "n"'],
    reason: 'several unknown fields are in one message, sorted',
  },
];

describe('a value', () => {
  it.each(rows)('is compared with each keyword: $reason', ({ schema, value, problems }) => {
    expect(reported(schema, value).map(withoutValue)).toEqual(problems);
  });

  it('may be absent unless its variable is required', () => {
    const variables = [aStatusVariable('n'), aStatusVariable('m', undefined, { required: true })];
    const list = { values: [], oldValues: [], path: 'v', complete: true, rules: rulesForValues() };
    const errors = validateVariables({ ...list, variables });
    expect(errors.map(printFieldError)).toEqual(['v: Required value: required variable "m" must be set']);
  });
});

describe('the default of a variable', () => {
  const member: VariableSchema = { type: 'object', properties: { b: { type: 'string', default: 'x' } } };

  it.each([
    { schema: { ...member, default: {} }, value: null, result: { b: 'x' }, reason: 'its members have defaults, too' },
    {
      schema: { type: 'object', additionalProperties: member },
      value: { a: {}, c: { b: 'y' } },
      result: { a: { b: 'x' }, c: { b: 'y' } },
      reason: 'so do members of any name',
    },
    { schema: { type: 'array', items: member }, value: [{}], result: [{ b: 'x' }], reason: 'so do items' },
    { schema: { type: 'array' }, value: [{}], result: [{}], reason: 'items without a schema have none' },
    { schema: member, value: 'text', result: 'text', reason: 'a value of another type is left to validation' },
  ] as readonly { schema: VariableSchema; value: unknown; result: unknown; reason: string }[])(
    'completes a value: $reason',
    ({ schema, value, result }) => {
      const values = [{ name: 'n', value }];
      expect(defaultVariables({ values, variables: [aStatusVariable('n', schema)], path: 'v', create: true })).toEqual({
        values: [{ name: 'n', value: result }],
        errors: [],
      });
    },
  );

  it('adds no member for a property that has neither value nor default', () => {
    const variables = [aStatusVariable('n', { type: 'object', properties: { a: { type: 'string' } } })];
    const { values } = defaultVariables({ values: [{ name: 'n', value: {} }], variables, path: 'v', create: true });
    expect(Object.keys(values[0]?.value ?? 'absent')).toEqual([]);
  });
});
