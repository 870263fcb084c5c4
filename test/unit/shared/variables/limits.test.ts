// Hostile ClusterClasses, extensions and Clusters. Their checks end with a message.

import { printFieldError } from '@capi-serverless/apimachinery';
import { patternLimits } from '@capi-serverless/apimachinery/pattern';
import { describe, expect, it } from 'vitest';
import {
  defaultVariables,
  rulesForValues,
  validateBySchema,
  validateVariableDefinitions,
  validateVariables,
} from '../../../../shared/variables/index.ts';
import { findTooLarge, maxDepth, maxNodes } from '../../../../shared/variables/limits.ts';
import { compilePattern } from '../../../../shared/variables/pattern.ts';
import {
  readClusterVariables,
  readStatusVariables,
  readVariableDefinitions,
} from '../../../../shared/variables/read.ts';
import type { VariableSchema } from '../../../../shared/variables/schema.ts';
import { allowWork, maxSteps, TooMuchWorkError } from '../../../../shared/variables/work.ts';
import { aStatusVariable, aVariable } from './builders.ts';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) {
    value = [value];
  }
  return value;
}

function reported(schema: VariableSchema, value: unknown): readonly string[] {
  const variables = [aStatusVariable('n', schema)];
  const list = {
    values: [{ name: 'n', value }],
    oldValues: [],
    variables,
    path: 'v',
    complete: true,
    rules: rulesForValues(),
  };
  return validateVariables(list).map(printFieldError);
}

const tooMuch = 'variable "n" takes too much work to check: make schemas and values smaller';

describe('depth and number', () => {
  it('of JSON are limited before any recursion', () => {
    expect(findTooLarge(nested(maxDepth))).toBeUndefined();
    expect(findTooLarge(nested(maxDepth + 1))).toBe(`must not be nested more than ${maxDepth} levels deep`);
    expect(findTooLarge(nested(100_000))).toBe(`must not be nested more than ${maxDepth} levels deep`);
    expect(findTooLarge(Array.from({ length: maxNodes }))).toBe(`must not hold more than ${maxNodes} values`);
    expect(findTooLarge({ a: null, b: [{}] })).toBeUndefined();
  });

  it('of parsed objects are limited', () => {
    const error = `must not be nested more than ${maxDepth} levels deep`;
    for (const read of [readVariableDefinitions, readStatusVariables, readClusterVariables]) {
      expect(read(nested(200))).toEqual({ ok: false, error });
      expect(read(undefined)).toEqual({ ok: true, value: [] });
    }
  });

  it('of values are limited', () => {
    const values = [{ name: 'n', value: nested(200) }];
    const expected = `v[n].value: Forbidden: must not be nested more than ${maxDepth} levels deep`;
    expect(reported({ type: 'array', items: {} }, nested(200))).toEqual([expected]);
    const defaulted = defaultVariables({ values, variables: [aStatusVariable('n')], path: 'v', create: true });
    expect(defaulted.errors.map(printFieldError)).toEqual([expected]);
  });
});

describe('work', () => {
  it('is counted', () => {
    const work = allowWork(3);
    work.spend(3);
    expect(() => work.spend(1)).toThrow(TooMuchWorkError);
    expect(() => allowWork().spend(maxSteps)).not.toThrow();
    expect(() => allowWork().spend(maxSteps + 1)).toThrow(TooMuchWorkError);
  });

  it('on values ends with a message, and earlier errors remain', () => {
    const variables = [aStatusVariable('a'), aStatusVariable('n', { type: 'string', pattern: 'a{500}' })];
    const values = [
      { name: 'a', value: 1 },
      { name: 'n', value: 'a'.repeat(200_000) },
    ];
    const errors = validateVariables({
      values,
      oldValues: [],
      variables,
      path: 'v',
      complete: true,
      rules: rulesForValues(),
    });
    expect(errors.map(printFieldError)).toEqual([
      'v[a].value: Invalid value: "1": must be of type string: "integer"',
      `v[n].value: Internal error: ${tooMuch}`,
    ]);
  });

  it('on definitions ends with a message, and earlier errors remain', () => {
    const schema = { type: 'string', pattern: 'a{500}', example: 'a'.repeat(200_000) };
    const errors = validateVariableDefinitions([aVariable(''), aVariable('n', schema), aVariable('later', {})], 'v');
    expect(errors.map(printFieldError)).toEqual([
      'v[].name: Required value: variable name must be defined',
      `v[n]: Internal error: ${tooMuch}`,
    ]);
  });

  it('on defaults ends with a message', () => {
    const items: VariableSchema = { type: 'string', default: 'x'.repeat(100_000) };
    const variables = [aStatusVariable('n', { type: 'array', items })];
    const values = [{ name: 'n', value: Array.from({ length: 10_000 }, () => null) }];
    const result = defaultVariables({ values, variables, path: 'v', create: true });
    expect(result.errors.map(printFieldError)).toEqual([`v[n]: Internal error: ${tooMuch}`]);
    expect(result.values).toBe(values);
  });

  it('on expressions ends with a message', () => {
    const work = allowWork(1000);
    expect(() => compilePattern(`${'a'.repeat(100)}1`, work)).toThrow(TooMuchWorkError);
    const pattern = '(x+x+)+y';
    const compiled = compilePattern(pattern, allowWork());
    const instructions = compiled.ok ? compiled.value.instructions : 0;
    for (const steps of [patternLimits.steps + instructions, maxSteps]) {
      const text = 'x'.repeat(Math.ceil(steps / instructions));
      expect(reported({ type: 'string', pattern }, text)).toEqual([`v[n].value: Internal error: ${tooMuch}`]);
    }
  });

  it('on messages is limited: long values are not repeated for each of their errors', () => {
    const value = Array.from({ length: 5000 }, () => 'x'.repeat(100));
    const errors = reported({ type: 'array', items: { type: 'integer' } }, value);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThan(5);
    expect(
      reported(
        { type: 'array', items: { type: 'integer' } },
        Array.from({ length: 200 }, () => 'x'),
      ),
    ).toHaveLength(200);
  });

  it('has a specific error class: other errors are thrown', () => {
    const broken = aStatusVariable('n', { type: 'string', default: 1n });
    const list = { values: [], variables: [broken], path: 'v', create: true };
    expect(() => defaultVariables(list)).toThrow(TypeError);
    const trap = {
      ...aVariable('n'),
      schema: {
        get openAPIV3Schema(): VariableSchema {
          throw new RangeError('trap');
        },
      },
    };
    expect(() => validateVariableDefinitions([trap], 'v')).toThrow('trap');
    const trapped = { ...aStatusVariable('n'), definitions: [{ from: 'inline', required: true, schema: trap.schema }] };
    const values = [{ name: 'n', value: 1 }];
    expect(() =>
      validateVariables({
        values,
        oldValues: [],
        variables: [trapped],
        path: 'v',
        complete: true,
        rules: rulesForValues(),
      }),
    ).toThrow('trap');
    const below = {
      get type(): string {
        throw new RangeError('trap');
      },
    };
    expect(() => validateBySchema(1, below, { field: 'f' })).toThrow('trap');
  });

  it('charges an expression once for each list, whatever the process compiled before', () => {
    const costOf = (sources: readonly string[]): number => {
      let spent = 0;
      const work = {
        spend(steps: number) {
          spent += steps;
        },
      };
      expect(sources.every(source => compilePattern(source, work).ok)).toBe(true);
      return spent;
    };
    expect(costOf(['a+b'])).toBeGreaterThan(100);
    expect(costOf(['a+b', 'a+b', 'a+b'])).toBe(costOf(['a+b']));
    expect(() => compilePattern('a+b', allowWork(0))).toThrow(TooMuchWorkError);
  });
});

describe('patterns that take exponential time in other engines', () => {
  const hostile = `${'a'.repeat(40)}!`;
  it.each([
    '(a+)+$',
    '([a-zA-Z]+)*$',
    '(a|aa)+$',
    '(a|a?)+$',
    '(.*a){20}$',
    '(a*)*b',
    '(a+)+b',
    '(a|b|ab)*c',
    '^(a+)*$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(\\w+\\s?)+$',
    '(.*)*x',
    '((a*)*)*b',
    '(a?){30}a{30}b',
    '^([a-z]+)*\\d$',
    '(?:a+){10}$',
    '(a+|b+)*c',
    '(aa*)*!x',
    '([^!]+)*x',
  ])('%s: ends with a result', pattern => {
    expect(
      reported({ type: 'string', pattern }, hostile).every(error => error.endsWith(`should match '${pattern}'`)),
    ).toBe(true);
  });

  it.each(['(a{1000}){1000}', '((a{100}){100}){100}', '(?=a)b', '(a)\\1', '(?<!x)y', '[', '*a', 'a**', '(?P<n', '\\8'])(
    '%s: is rejected',
    pattern => {
      const [error] = validateVariableDefinitions([aVariable('n', { type: 'string', pattern })], 'v').map(
        printFieldError,
      );
      expect(error).toContain("must be a valid regular expression, but isn't: ");
    },
  );

  it('are rejected if they are too long', () => {
    const pattern = 'a'.repeat(20_000);
    expect(reported({ type: 'string', pattern }, 'a')[0]).toContain(
      'but pattern is invalid: expression is longer than',
    );
  });
});

describe('schemas that expand exponentially', () => {
  const wide = (keyword: 'allOf' | 'anyOf' | 'oneOf', depth: number): VariableSchema =>
    depth === 0 ? { minLength: 5 } : { [keyword]: Array.from({ length: 10 }, () => wide(keyword, depth - 1)) };
  const negated = (depth: number): VariableSchema => (depth === 0 ? { minLength: 5 } : { not: negated(depth - 1) });
  const deep = (depth: number): VariableSchema =>
    depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(depth - 1) } };

  it.each([
    { schema: { type: 'string', ...wide('allOf', 4) }, reason: 'all of ten, four times' },
    { schema: { type: 'string', ...wide('anyOf', 4) }, reason: 'any of ten, four times' },
    { schema: { type: 'string', ...wide('oneOf', 4) }, reason: 'one of ten, four times' },
    { schema: { type: 'string', ...negated(60) }, reason: 'sixty negations' },
    { schema: deep(40), reason: 'forty levels of members' },
  ])('end with a result: $reason', ({ schema }) => {
    expect(validateVariableDefinitions([aVariable('n', schema)], 'v')).toEqual([]);
    expect(reported(schema, 'x').length).toBeLessThanOrEqual(1000);
  });

  const rule = 'self == self';
  const ruled: VariableSchema = {
    type: 'string',
    maxLength: 5,
    'x-kubernetes-validations': Array.from({ length: 100 }, () => ({ rule })),
  };
  const many = Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`p${index}`, ruled]));
  it.each([
    { schema: { type: 'object', properties: many }, reason: 'a quarter of a million rules' },
    {
      schema: {
        type: 'array',
        items: {
          type: 'array',
          items: {
            type: 'array',
            items: { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('a')" }] },
          },
        },
      },
      reason: 'rules on lists of lists without bounds',
    },
  ] as readonly { schema: VariableSchema; reason: string }[])('are rejected: $reason', ({ schema }) => {
    expect(validateVariableDefinitions([aVariable('n', schema)], 'v').length).toBeGreaterThan(0);
  });
});

describe('a value that is not a variable', () => {
  it('has the same limit', () => {
    const errors = validateBySchema('a'.repeat(200_000), { type: 'string', pattern: 'a{500}' }, { field: 'status.x' });
    expect(errors.map(printFieldError)).toEqual([
      'status.x: Internal error: takes too much work to check: make schemas and values smaller',
    ]);
  });
});
