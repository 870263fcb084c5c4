// The scenarios of variables. Scenarios of merges are in merge.test.ts.

import { printFieldError, printFieldErrors } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  defaultVariables,
  rulesForValues,
  validateVariableDefinitions,
  validateVariables,
} from '../../../../shared/variables/index.ts';
import { aStatusVariable, aVariable } from './builders.ts';

const path = 'spec.topology.variables';
const overrides = 'spec.topology.workers.machineDeployments[md].variables.overrides';

function reported(list: Partial<Parameters<typeof validateVariables>[0]>): readonly string[] {
  const errors = validateVariables({
    values: [],
    oldValues: [],
    variables: [],
    path,
    complete: true,
    rules: rulesForValues(),
    ...list,
  });
  return errors.map(printFieldError);
}

describe('definitions', () => {
  it('an invalid type is reported with its path below the patch', () => {
    const errors = validateVariableDefinitions(
      [aVariable('httpProxy', { type: 'object', properties: { noProxy: { type: 'invalidType' } } })],
      'p1.variables',
    );
    expect(printFieldErrors(errors)).toBe(
      'p1.variables[httpProxy].schema.openAPIV3Schema.properties[noProxy].type: Unsupported value: "invalidType": ' +
        'supported values: "array", "boolean", "integer", "number", "object", "string"',
    );
  });

  it('a duplicate name is reported', () => {
    const errors = validateVariableDefinitions([aVariable('x'), aVariable('x'), aVariable('x')], 'p1.variables');
    expect(errors.map(printFieldError)).toEqual([
      'p1.variables[x].name: Invalid value: "x": variable name must be unique. Variable with name "x" is defined more than once',
      'p1.variables[x].name: Invalid value: "x": variable name must be unique. Variable with name "x" is defined more than once',
    ]);
  });

  it.each([
    { name: '', error: 'v[].name: Required value: variable name must be defined', reason: 'a name is needed' },
    {
      name: 'builtin',
      error: 'v[builtin].name: Invalid value: "builtin": "builtin" is a reserved variable name',
      reason: 'ours',
    },
    {
      name: 'a.b',
      error: 'v[a.b].name: Invalid value: "a.b": variable name cannot contain "."',
      reason: 'dots lead into values',
    },
  ])('are not called "$name" ($reason)', ({ name, error }) => {
    expect(validateVariableDefinitions([aVariable(name)], 'v').map(printFieldError)).toEqual([error]);
  });
});

describe('defaults', () => {
  it('a missing value is created for the Cluster, after the others, and not in overrides', () => {
    const variables = [
      aStatusVariable('a', { type: 'string', default: 'foo' }),
      aStatusVariable('b', { type: 'string' }),
    ];
    const values = [{ name: 'b', value: 'x' }];
    expect(defaultVariables({ values, variables, path, create: true })).toEqual({
      values: [...values, { name: 'a', value: 'foo' }],
      errors: [],
    });
    expect(defaultVariables({ values, variables, path: overrides, create: false }).values).toEqual(values);
  });

  it('defaults of members require an existing object', () => {
    const variables = [aStatusVariable('a', { type: 'object', properties: { b: { type: 'string', default: 'x' } } })];
    expect(defaultVariables({ values: [], variables, path, create: true }).values).toEqual([]);
    const filled = defaultVariables({ values: [{ name: 'a', value: {} }], variables, path, create: true });
    expect(filled.values).toEqual([{ name: 'a', value: { b: 'x' } }]);
  });

  it('null is replaced by a default, and without a default is not a string', () => {
    const values = [{ name: 'a', value: null }];
    const withDefault = [aStatusVariable('a', { type: 'string', default: 'foo' })];
    expect(defaultVariables({ values, variables: withDefault, path, create: true }).values).toEqual([
      { name: 'a', value: 'foo' },
    ]);
    const without = [aStatusVariable('a', { type: 'string' })];
    expect(defaultVariables({ values, variables: without, path, create: true }).values).toEqual(values);
    expect(reported({ values, variables: without })).toEqual([
      `${path}[a].value: Invalid value: "null": must be of type string: "null"`,
    ]);
  });
});

describe('values', () => {
  it('required variables must be set, but not in overrides', () => {
    const variables = [aStatusVariable('req', { type: 'string' }, { required: true })];
    expect(reported({ variables })).toEqual([`${path}: Required value: required variable "req" must be set`]);
    expect(reported({ variables, path: overrides, complete: false })).toEqual([]);
    expect(reported({ variables, values: [{ name: 'req', value: '' }] })).toEqual([]);
  });

  it('a value without definition is reported, and the others are validated', () => {
    const values = [
      { name: 'x', value: { b: 1, a: [] } },
      { name: 'a', value: 1 },
    ];
    const variables = [aStatusVariable('a', { type: 'string' })];
    expect(reported({ values, variables })).toEqual([
      `${path}[x]: Invalid value: "{"a":[],"b":1}": variable is not defined`
        .replaceAll('"a"', '\\"a\\"')
        .replaceAll('"b"', '\\"b\\"'),
      `${path}[a].value: Invalid value: "1": must be of type string: "integer"`,
    ]);
    expect(defaultVariables({ values, variables, path, create: true })).toEqual({
      values,
      errors: [expect.objectContaining({ field: `${path}[x]`, detail: 'variable is not defined' })],
    });
  });

  it('unknown fields are reported at the variable', () => {
    const variables = [aStatusVariable('n', { type: 'object', properties: { a: { type: 'string' } } })];
    expect(reported({ values: [{ name: 'n', value: { a: 'x', b: 1 } }], variables })).toEqual([
      `${path}[n]: Invalid value: "{\\"a\\":\\"x\\",\\"b\\":1}": failed validation: "b" field(s) are not specified in the variable schema of variable "n"`,
    ]);
  });

  it('transition rules compare with the previous value of the same list', () => {
    const rules = [{ rule: 'self >= oldSelf', message: 'no shrink' }];
    const variables = [aStatusVariable('n', { type: 'integer', 'x-kubernetes-validations': rules })];
    const values = [{ name: 'n', value: 1 }];
    expect(reported({ values, variables, oldValues: [{ name: 'n', value: 5 }] })).toEqual([
      `${path}[n].value: Invalid value: "1": no shrink`,
    ]);
    expect(reported({ values, variables })).toEqual([]);
  });

  it('rules do not run on a value that violates its schema', () => {
    const schema = { type: 'integer', minimum: 3, 'x-kubernetes-validations': [{ rule: 'self > 5' }] };
    const variables = [aStatusVariable('n', schema)];
    expect(reported({ values: [{ name: 'n', value: 1 }], variables })).toEqual([
      `${path}[n].value: Invalid value: "1": should be greater than or equal to 3`,
    ]);
    expect(reported({ values: [{ name: 'n', value: 4 }], variables })).toEqual([
      `${path}[n].value: Invalid value: "4": failed rule: self > 5`,
    ]);
  });

  it('only conflicting definitions are reported', () => {
    const variables = [aStatusVariable('a', {}, { definitionsConflict: true }), aStatusVariable('b')];
    expect(reported({ values: [{ name: 'x', value: 1 }], variables })).toEqual([
      `${path}: Invalid value: "[Name: a,Name: b]": variable definitions in the ClusterClass not valid: variable "a" has conflicting definitions`,
    ]);
  });

  it('are the only errors if a value is set twice, or a variable has no definition', () => {
    const twice = [
      { name: 'a', value: 1 },
      { name: 'a', value: 2 },
    ];
    expect(reported({ values: twice })).toEqual([`${path}[a]: Invalid value: "2": variable "a" is set more than once`]);
    expect(reported({ variables: [{ name: 'a', definitionsConflict: false, definitions: [] }] })).toEqual([
      `${path}: Invalid value: "[Name: a]": variable definitions in the ClusterClass not valid: variable "a" has no definitions`,
    ]);
    expect(defaultVariables({ values: twice, variables: [], path, create: true }).errors).toHaveLength(1);
  });

  it.each([
    { reason: 'FieldValueForbidden', printed: 'Forbidden: no' },
    { reason: 'FieldValueRequired', printed: 'Required value: no' },
    { reason: 'FieldValueDuplicate', printed: 'Duplicate value: "{\\"a\\":1}"' },
    { reason: 'FieldValueInvalid', printed: 'Invalid value: "{\\"a\\":1}": no' },
  ])(
    'that violate a rule are reported for the reason $reason, at the field path of the rule',
    ({ reason, printed }) => {
      const rule = { rule: 'self.a > 1', message: 'no', reason, fieldPath: '.a' };
      const schema = { type: 'object', properties: { a: { type: 'integer' } }, 'x-kubernetes-validations': [rule] };
      expect(reported({ values: [{ name: 'n', value: { a: 1 } }], variables: [aStatusVariable('n', schema)] })).toEqual(
        [`${path}[n].value.a: ${printed}`],
      );
    },
  );

  it('of lists are reported with the path that unknown fields of items have', () => {
    const variables = [aStatusVariable('n', { type: 'array', items: { type: 'object', properties: {} } })];
    expect(reported({ values: [{ name: 'n', value: [{ z: 1 }] }], variables })[0]).toContain(
      '"variableValue[0].z" field(s)',
    );
  });
});
