// Input that needs the maximum work. These tests are slow, so the mutation set does not include them.

import { printFieldError } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { validateVariableDefinitions, validateVariables } from '../../../../shared/variables/index.ts';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { rulesForValues } from '../../../../shared/variables/validation-rules.ts';
import { aStatusVariable, aVariable } from './builders.ts';

const tooMuch = 'variable "n" takes too much work to check: make schemas and values smaller';

describe('all of the allowed work', () => {
  it('on values ends with a message: many schemas for many items', () => {
    const branches = Array.from({ length: 200 }, () => ({ minLength: 2 }));
    const items: VariableSchema = { type: 'string', allOf: branches };
    const value = Array.from({ length: 20_000 }, () => 'x');
    const variables = [aStatusVariable('n', { type: 'array', items })];
    const list = {
      values: [{ name: 'n', value }],
      oldValues: [],
      variables,
      path: 'v',
      complete: true,
      rules: rulesForValues(),
    };
    expect(validateVariables(list).map(printFieldError)).toEqual([`v[n].value: Internal error: ${tooMuch}`]);
  });

  it('on definitions ends with a message: many properties with many choices', () => {
    const choices = Array.from({ length: 2000 }, () => 'x'.repeat(2000));
    const properties = Object.fromEntries(choices.map((_, index) => [`p${index}`, { type: 'string', enum: choices }]));
    const errors = validateVariableDefinitions([aVariable(''), aVariable('n', { type: 'object', properties })], 'v');
    expect(errors.map(printFieldError)).toEqual([
      'v[].name: Required value: variable name must be defined',
      `v[n]: Internal error: ${tooMuch}`,
    ]);
  });
});
