import { describe, expect, it } from 'vitest';
import { valueAtPath } from '../../../../../../functions/topology/plan/patches/variable-path.ts';

const variables = {
  v: 'text',
  n: null,
  o: { a: { b: 1 }, n: null, list: [{ c: 2 }, 3] },
  list: [{ name: 'first' }, [4]],
};

describe('a path into variables', () => {
  it.each([
    { path: 'v', value: 'text' },
    { path: 'n', value: null },
    { path: 'o.a', value: { b: 1 } },
    { path: 'o.a.b', value: 1 },
    { path: 'o.n', value: null },
    { path: 'o.list[0].c', value: 2 },
    { path: 'o.list[1]', value: 3 },
    { path: 'list[0].name', value: 'first' },
    { path: 'list[+1]', value: [4] },
  ])('$path leads to $value', ({ path, value }) => {
    expect(valueAtPath(variables, path)).toEqual({ ok: true, value });
  });

  it.each([
    { path: 'x', error: 'variable "x" does not exist' },
    { path: 'x.y', error: 'variable "x" does not exist' },
    { path: 'toString', error: 'variable "toString" does not exist' },
    { path: '', error: 'variable "" does not exist' },
    { path: 'o.x', error: 'variable "o.x" does not exist: failed to lookup segment "x"' },
    { path: 'o.x[0]', error: 'variable "o.x[0]" does not exist: failed to lookup segment "x"' },
    {
      path: 'o.a.constructor',
      error: 'variable "o.a.constructor" does not exist: failed to lookup segment "constructor"',
    },
    { path: 'v.length', error: 'variable "v.length" does not exist: failed to lookup segment "length"' },
    { path: 'n.x', error: 'variable "n.x" does not exist: failed to lookup segment "x"' },
    { path: 'list[0', error: 'variable "list[0" is invalid: failed to parse path segment "list[0"' },
    { path: 'list]0[', error: 'variable "list]0[" is invalid: failed to parse path segment "list]0["' },
    { path: 'o.list[0', error: 'variable "o.list[0" has invalid syntax: failed to parse path segment "list[0"' },
    { path: 'list[1][0]', error: 'variable "list[1][0]" is invalid: failed to parse path segment "list[1][0]"' },
    {
      path: 'list[x]',
      error:
        'variable "list[x]" is invalid: failed to parse array index in path segment "list[x]": "x" is not a number',
    },
    { path: 'list[-1]', error: 'variable "list[-1]" is invalid: invalid array index -1 in path segment "list[-1]"' },
    { path: 'o[0]', error: 'variable "o[0]" is invalid: failed to get array "o": not a list' },
    { path: 'o.a[0].b', error: 'variable "o.a[0].b" is invalid: failed to get array "a": not a list' },
    { path: 'list[2]', error: 'variable "list[2]" is invalid: array does not have index 2' },
    { path: 'o.list[9].c', error: 'variable "o.list[9].c" is invalid: array does not have index 9' },
  ])('$path: $error', ({ path, error }) => {
    expect(valueAtPath(variables, path)).toEqual({ ok: false, error });
  });
});
