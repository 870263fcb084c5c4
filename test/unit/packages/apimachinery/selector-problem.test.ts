import { selectorProblem, toPrintedSelector } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';

const expression = (key: string, operator: string, ...values: readonly string[]) => ({ key, operator, values });
const selector = (
  matchLabels: Readonly<Record<string, string>>,
  ...matchExpressions: readonly ReturnType<typeof expression>[]
) => ({ matchLabels, matchExpressions });

describe('a selector', () => {
  it.each([
    { reason: 'without requirements', of: selector({}) },
    { reason: 'with labels and expressions', of: selector({ 'a.b/c': 'x' }, expression('k', 'In', 'x', '')) },
  ])('is valid $reason', ({ of }) => {
    expect(selectorProblem(of)).toBeUndefined();
  });

  it.each([
    {
      reason: 'a label key, before others',
      of: selector({ 'b c': 'x', z: '-' }, expression('k', 'Foo')),
      problem: /^key: Invalid value: "b c": name part must consist of /,
    },
    {
      reason: 'a label value',
      of: selector({ ok: 'x', z: '-' }),
      problem: /^values\[0\]\[z\]: Invalid value: "-": a valid label must be an empty string /,
    },
    {
      reason: 'an operator',
      of: selector({ ok: 'x' }, expression('k', 'Exists'), expression('b c', 'Foo')),
      problem: /^"Foo" is not a valid label selector operator$/,
    },
    {
      reason: 'the key and a value of an expression',
      of: selector({}, expression('b c', 'In', 'x', '-')),
      problem: /^\[key: Invalid value: "b c": .*, values\[1\]\[b c\]: Invalid value: "-": .*\]$/,
    },
    {
      reason: 'the key of an expression without values',
      of: selector({}, expression('b c', 'NotIn')),
      problem:
        /^\[key: Invalid value: "b c": .*, values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty\]$/,
    },
    {
      reason: 'each problem of a key',
      of: selector({ '/b c': '' }),
      problem: /^key: Invalid value: "\/b c": prefix part must be non-empty; name part must consist of /,
    },
  ])('is not valid by $reason', ({ of, problem }) => {
    expect(selectorProblem(of)).toMatch(problem);
  });
});

describe('a printed selector', () => {
  it('has no empty members, and sorted labels', () => {
    expect(JSON.stringify(toPrintedSelector(selector({ b: '', a: 'x' }, expression('k', 'Exists'))))).toBe(
      '{"matchLabels":{"a":"x","b":""},"matchExpressions":[{"key":"k","operator":"Exists"}]}',
    );
    expect(toPrintedSelector(selector({}, expression('k', 'In', 'x')))).toEqual({
      matchExpressions: [{ key: 'k', operator: 'In', values: ['x'] }],
    });
    expect(toPrintedSelector(selector({ a: 'x' }))).toEqual({ matchLabels: { a: 'x' } });
  });
});
