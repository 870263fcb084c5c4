// Definitions, with the results of Cluster API v1.14.0.

import { printFieldError } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { rulesForValues, validateVariableDefinitions, validateVariables } from '../../../../shared/variables/index.ts';
import { readVariableDefinitions } from '../../../../shared/variables/read.ts';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { aStatusVariable, aVariable } from './builders.ts';

const root = 'v[n].schema.openAPIV3Schema';
const rules = (...list: readonly object[]) => ({ 'x-kubernetes-validations': list }) as VariableSchema; // true: each has a rule

function reported(schema: VariableSchema): readonly string[] {
  return validateVariableDefinitions([aVariable('n', schema)], 'v').map(printFieldError);
}

function problemsOfValue(schema: VariableSchema, value: unknown): readonly string[] {
  const list = { values: [{ name: 'n', value }], oldValues: [], path: 'v', complete: true, rules: rulesForValues() };
  return validateVariables({ ...list, variables: [aStatusVariable('n', schema)] }).map(printFieldError);
}

const shownRule = (rule: string, rest: object = {}): string => {
  const all = {
    Rule: rule,
    Message: '',
    MessageExpression: '',
    Reason: null,
    FieldPath: '',
    OptionalOldSelf: null,
    ...rest,
  };
  return JSON.stringify(all).replaceAll('>', '\\u003e');
};

describe('rules of definitions', () => {
  it.each([
    {
      schema: { type: 'integer', default: 0, ...rules({ rule: 'self > 1' }) },
      errors: [`${root}.default: Invalid value: 0: failed rule: self > 1`],
      reason: 'hold for the default',
    },
    {
      schema: { type: 'integer', example: 0, enum: [1, 2], ...rules({ rule: 'self > 1' }) },
      errors: [`${root}.example: Unsupported value: 0: supported values: "1", "2"`],
      reason: 'are not evaluated if the schema is violated',
    },
    {
      schema: { type: 'integer', example: 0, ...rules({ rule: 'self > 1' }) },
      errors: [`${root}.example: Invalid value: 0: failed rule: self > 1`],
      reason: 'hold for the example',
    },
    {
      schema: { type: 'integer', enum: [1, 2], ...rules({ rule: 'self > 1' }) },
      errors: [`${root}.enum[0]: Invalid value: 1: failed rule: self > 1`],
      reason: 'hold for every choice',
    },
    {
      schema: {
        type: 'object',
        properties: { a: { type: 'integer' } },
        default: { a: 0 },
        ...rules({ rule: 'self.a > 1' }),
      },
      errors: [`${root}.default: Invalid value: failed rule: self.a > 1`],
      reason: 'leave objects out of the message',
    },
    {
      schema: {
        type: 'object',
        default: {},
        additionalProperties: { type: 'integer' },
        ...rules({ rule: "self['a'] > 1" }),
      },
      errors: [`${root}.default: Invalid value: "object": no such key: a evaluating rule: self['a'] > 1`],
      reason: 'that have no answer are reported with the type',
    },
    {
      schema: { type: 'object', properties: { a: { type: 'integer', ...rules({ rule: '1' }) } } },
      errors: [
        `${root}.properties[a].x-kubernetes-validations[0].rule: Invalid value: ${shownRule('1')}: cel expression must evaluate to a bool`,
      ],
      reason: 'give yes or no',
    },
    {
      schema: { type: 'string', ...rules({ rule: 'true', messageExpression: '1' }) },
      errors: [
        `${root}.x-kubernetes-validations[0].messageExpression: Invalid value: ${shownRule('true', { MessageExpression: '1' })}: messageExpression must evaluate to a string`,
      ],
      reason: 'have messages that are texts',
    },
    {
      schema: {
        type: 'object',
        additionalProperties: {
          type: 'string',
          maxLength: 3,
          ...rules({ rule: ' ' }, { rule: 'true', reason: 'Foo' }),
        },
        maxProperties: 3,
      },
      errors: [
        `${root}.additionalProperties.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
        `${root}.additionalProperties.x-kubernetes-validations[1].reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      ],
      reason: 'are complete',
    },
    {
      schema: {
        type: 'array',
        maxItems: 3,
        items: { type: 'string', maxLength: 3, ...rules({ rule: 'self == oldSelf' }) },
      },
      errors: [
        `${root}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${root}.items`,
      ],
      reason: 'about changes need the previous object',
    },
    {
      schema: { type: 'object', properties: { a: { type: 'string', example: 5 } }, ...rules({ rule: 'nonsense(' }) },
      errors: [`${root}.properties[a].example: Invalid value: "integer":  in body must be of type string: "integer"`],
      reason: 'wait until the schema is right',
    },
    {
      schema: { type: 'array', items: { type: 'string' }, maxItems: 3, ...rules({ rule: 'self.size() < 2' }) },
      errors: [],
      reason: 'may be on lists as well, unlike with Cluster API',
    },
  ] as readonly { schema: VariableSchema; errors: readonly string[]; reason: string }[])(
    '$reason',
    ({ schema, errors }) => {
      expect(reported(schema)).toEqual(errors);
    },
  );

  it('cannot read fields that the variable does not have, unlike in Cluster API', () => {
    expect(reported({ type: 'object', ...rules({ rule: "self.metadata.name == 'a'" }) })[0]).toContain(
      "undefined field 'metadata'",
    );
  });

  it('are compiled once per path', () => {
    const schema: VariableSchema = { type: 'integer', ...rules({ rule: 'self > 1' }) };
    expect(reported(schema)).toEqual([]);
    expect(reported(schema)).toEqual([]);
    expect(problemsOfValue(schema, 1)).toEqual(['v[n].value: Invalid value: "1": failed rule: self > 1']);
    expect(problemsOfValue({ 'x-kubernetes-preserve-unknown-fields': true, ...rules({ rule: 'true' }) }, null)).toEqual(
      [],
    );
  });
});

describe('metadata for tools', () => {
  it('validates the syntax of labels and annotations at every level', () => {
    const labels = { 'a b': 'c d' };
    const errors = reported({
      type: 'object',
      'x-metadata': { annotations: { 'A B': 'x', big: 'x'.repeat(262_144) } },
      properties: { a: { type: 'array', items: { type: 'string', 'x-metadata': { labels } } } },
    });
    expect(errors).toEqual([
      expect.stringMatching(/x-metadata\.annotations: Invalid value: "A B": name part must consist/),
      `${root}.x-metadata.annotations: Too long: may not be more than 262144 bytes`,
      expect.stringMatching(/properties\[a\]\.items\.x-metadata\.labels: Invalid value: "a b": name part must consist/),
      expect.stringMatching(/properties\[a\]\.items\.x-metadata\.labels: Invalid value: "c d": a valid label must be/),
    ]);
    const free = { type: 'object', additionalProperties: { type: 'string', 'x-metadata': { labels } } };
    expect(reported(free)).toEqual([
      expect.stringMatching(/\.additionalProperties\.x-metadata\.labels: Invalid value: "a b": name part must consist/),
      expect.stringMatching(/\.additionalProperties\.x-metadata\.labels: Invalid value: "c d": a valid label must be/),
    ]);
    const most = { type: 'string', 'x-metadata': { annotations: { 'A.B/c': 'x'.repeat(262_144 - 'A.B/c'.length) } } };
    expect(reported(most)).toEqual([]);
    const old = { ...aVariable('n'), deprecatedV1Beta1Metadata: { labels } };
    expect(validateVariableDefinitions([old], 'v')[0]?.field).toBe('v[n].deprecatedV1Beta1Metadata.labels');
  });
});

describe('structure', () => {
  it('allows only validations below combinations', () => {
    const schema = readVariableDefinitions([
      {
        name: 'n',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {},
            not: { items: { pattern: '[' }, properties: { metadata: {} } },
            oneOf: [
              {
                'x-kubernetes-validations': [{ rule: 'true' }],
                'x-kubernetes-int-or-string': true,
                additionalProperties: {},
              },
            ],
            allOf: [{ 'x-kubernetes-preserve-unknown-fields': true, default: 1, type: 'string' }],
          },
        },
      },
    ]);
    const errors = schema.ok ? validateVariableDefinitions(schema.value, 'v').map(printFieldError) : [];
    expect(errors).toEqual([
      `${root}.allOf[0].default: Forbidden: must be undefined to be structural`,
      `${root}.allOf[0].type: Forbidden: must be empty to be structural`,
      `${root}.allOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural`,
      `${root}.not.items.pattern: Invalid value: "[": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: \`[\``,
      `${root}.not.properties[metadata]: Forbidden: must not be specified in a nested context`,
      `${root}.oneOf[0].additionalProperties: Forbidden: must be undefined to be structural`,
      `${root}.oneOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural`,
      `${root}.oneOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural`,
    ]);
  });

  it('allows either properties or additionalProperties', () => {
    const both = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } };
    expect(reported(both)).toEqual([`${root}: Forbidden: additionalProperties and properties are mutually exclusive`]);
  });
});

describe('values', () => {
  it.each([
    {
      schema: { type: 'number', enum: [1, 2] },
      value: 1.5,
      errors: [],
      reason: 'numbers are cut before they are compared, as in API servers',
    },
    { schema: { type: 'number', enum: [1.5] }, value: 1.5, errors: [], reason: 'but not for a choice with a fraction' },
    {
      schema: { 'x-kubernetes-int-or-string': true, enum: ['a', '\ufffd'] },
      value: 97,
      errors: [],
      reason: 'a number passes for its character',
    },
    {
      schema: { 'x-kubernetes-int-or-string': true, enum: ['\ufffd'] },
      value: -1,
      errors: [],
      reason: 'or for the one that replaces it',
    },
    {
      schema: { 'x-kubernetes-int-or-string': true, enum: ['\ufffd'] },
      value: 0xd800,
      errors: [],
      reason: 'so do halves of pairs',
    },
    {
      schema: { type: 'string', format: 'ipv4' },
      value: [],
      errors: [],
      reason: 'a list passes for a text with a format',
    },
    {
      schema: { type: 'integer', maximum: 3, minimum: 5, exclusiveMaximum: true, exclusiveMinimum: true },
      value: 4,
      errors: [
        'v[n].value: Invalid value: "4": should be greater than 5',
        'v[n].value: Invalid value: "4": should be less than 3',
      ],
      reason: 'bounds may be left out themselves',
    },
    {
      schema: { type: 'integer', format: 'int32', maximum: 2 ** 40 },
      value: 1,
      errors: ['v[n].value: Invalid value: "1": Maximum boundary value must be of type integer with format int32 in '],
      reason: 'bounds must fit the type',
    },
    {
      schema: { type: 'number', maximum: 1_000_000, minimum: 0 },
      value: 1_000_000.5,
      errors: ['v[n].value: Invalid value: "1000000.5": should be less than or equal to 1e+06'],
      reason: 'bounds of fractions are printed as such',
    },
    {
      schema: { type: 'integer' },
      value: 1.5,
      errors: [
        'v[n].value: Invalid value: "1.5": must be of type integer: "number"',
        'v[n].value: Invalid value: "1.5": Checked value must be of type integer (default format) in ',
      ],
      reason: 'a fraction is reported twice',
    },
    {
      schema: { type: 'number', format: 'float' },
      value: 1e300,
      errors: ['v[n].value: Invalid value: "1e+300": Checked value must be of type number with format float in '],
      reason: 'small floats are small',
    },
    {
      schema: { type: 'string', format: 'email' },
      value: 'Joe (x a@b',
      errors: ['v[n].value: Invalid value: "\\"Joe (x a@b\\"": must be of type email: "Joe (x a@b"'],
      reason: 'comments end',
    },
    {
      schema: { 'x-kubernetes-preserve-unknown-fields': true },
      value: [{ a: 1 }],
      errors: [],
      reason: 'what is kept may be in lists',
    },
    {
      schema: {
        type: 'array',
        items: { type: 'array', items: { type: 'object' } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
      value: [[{ a: 1 }]],
      errors: [],
      reason: 'of lists, too',
    },
    {
      schema: {
        type: 'object',
        properties: { a: { type: 'string' } },
        anyOf: [{ required: ['b'] }, { required: ['c'], properties: { a: { minLength: 1 } } }],
      },
      value: { a: 'x' },
      errors: [
        'v[n].value: Invalid value: "{\\"a\\":\\"x\\"}": "" must validate at least one schema (anyOf)',
        'v[n].value.c: Required value',
      ],
      reason: 'of several schemas the closest match is reported',
    },
    {
      schema: { type: 'string', maxLength: 1 },
      value: '😀',
      errors: [],
      reason: 'characters are counted, not halves of them',
    },
    {
      schema: { type: 'string', maxLength: 1 },
      value: 'ab',
      errors: ['v[n].value: Too long: may not be more than 1 byte'],
      reason: 'one byte',
    },
  ] as readonly { schema: VariableSchema; value: unknown; errors: readonly string[]; reason: string }[])(
    '$value: $reason',
    ({ schema, value, errors }) => {
      expect(problemsOfValue(schema, value)).toEqual(errors);
    },
  );
});
