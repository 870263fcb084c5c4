import { describe, expect, it } from 'vitest';
import {
  type FieldError,
  forbidden,
  internalError,
  invalidValue,
  printFieldError,
  printInvalidObject,
  quote,
  requiredValue,
  toSortedJson,
  unsupportedValue,
} from '../../../../packages/apimachinery/field-error.ts';

describe('a field error', () => {
  const rows: readonly { readonly error: FieldError; readonly printed: string; readonly reason: string }[] = [
    { error: invalidValue('a', 'x', 'bad'), printed: 'a: Invalid value: "x": bad', reason: 'texts are quoted' },
    { error: invalidValue('a', 'x', ''), printed: 'a: Invalid value: "x"', reason: 'no detail, no colon' },
    { error: invalidValue('a', 5, 'bad'), printed: 'a: Invalid value: 5: bad', reason: 'numbers are plain' },
    { error: invalidValue('a', 1e6, ''), printed: 'a: Invalid value: 1000000', reason: 'large integers are plain' },
    { error: invalidValue('a', 1.5, ''), printed: 'a: Invalid value: 1.5', reason: 'so are fractions' },
    {
      error: invalidValue('a', 1234567.5, ''),
      printed: 'a: Invalid value: 1.2345675e+06',
      reason: 'large fractions not',
    },
    {
      error: invalidValue('a', 999999.5, ''),
      printed: 'a: Invalid value: 999999.5',
      reason: 'below a million they are',
    },
    { error: invalidValue('a', 1e21, ''), printed: 'a: Invalid value: 1e+21', reason: 'huge numbers have an exponent' },
    { error: invalidValue('a', 1e-7, ''), printed: 'a: Invalid value: 1e-07', reason: 'exponents have two digits' },
    { error: invalidValue('a', false, ''), printed: 'a: Invalid value: false', reason: 'booleans are plain' },
    { error: invalidValue('a', null, 'bad'), printed: 'a: Invalid value: null: bad', reason: 'null is plain' },
    {
      error: invalidValue('a', undefined, 'bad'),
      printed: 'a: Invalid value: bad',
      reason: 'an undefined value is omitted',
    },
    {
      error: invalidValue('a', { b: 'x' }, 'b'),
      printed: 'a: Invalid value: {"b":"x"}: b',
      reason: 'the rest is JSON',
    },
    { error: invalidValue('a', ['>'], 'b'), printed: 'a: Invalid value: ["\\u003e"]: b', reason: 'markup is escaped' },
    { error: requiredValue('a'), printed: 'a: Required value', reason: 'a missing field has no value' },
    { error: requiredValue('a', 'set it'), printed: 'a: Required value: set it', reason: 'but may have a detail' },
    { error: forbidden('a', 'never'), printed: 'a: Forbidden: never', reason: 'the value does not matter' },
    { error: internalError('a', 'oops'), printed: 'a: Internal error: oops', reason: 'the value is not at fault' },
    {
      error: { type: 'Too long', field: 'a', value: 'xxxx', detail: 'may not be more than 3 bytes' },
      printed: 'a: Too long: may not be more than 3 bytes',
      reason: 'a value that is too long is not printed',
    },
    {
      error: unsupportedValue('a', 'z', ['x', 'y']),
      printed: 'a: Unsupported value: "z": supported values: "x", "y"',
      reason: 'the choices are quoted',
    },
  ];

  it.each(rows)('prints as $printed ($reason)', ({ error, printed }) => {
    expect(printFieldError(error)).toBe(printed);
  });
});

describe('an aggregate', () => {
  it('of an object names the kind, the group and the object', () => {
    const errors = [requiredValue('spec.a'), forbidden('spec.b', 'never')];
    expect(printInvalidObject({ kind: 'Cluster', group: 'cluster.x-k8s.io', name: 'c', errors })).toBe(
      'Cluster.cluster.x-k8s.io "c" is invalid: [spec.a: Required value, spec.b: Forbidden: never]',
    );
  });
});

describe('a quoted text', () => {
  it.each([
    { text: 'plain', quoted: '"plain"', reason: 'nothing to escape' },
    { text: 'ä € 😀', quoted: '"ä € 😀"', reason: 'printable characters are kept' },
    { text: 'a"b\\c', quoted: '"a\\"b\\\\c"', reason: 'quotes and backslashes are escaped' },
    { text: '\u0007\b\f\n\r\t\v', quoted: '"\\a\\b\\f\\n\\r\\t\\v"', reason: 'control characters with a short form' },
    { text: '\u0001\u007f', quoted: '"\\x01\\x7f"', reason: 'and without one' },
    { text: '\u00a0\u200b', quoted: '"\\u00a0\\u200b"', reason: 'other spaces are escaped' },
    { text: '\u{e0001}', quoted: '"\\U000e0001"', reason: 'beyond the basic plane' },
  ])('$reason: $quoted', ({ text, quoted }) => {
    expect(quote(text)).toBe(quoted);
  });
});

it('sorts the members of free-form values at every level', () => {
  expect(toSortedJson({ b: [{ d: 1, c: null }], a: '&' })).toBe('{"a":"\\u0026","b":[{"c":null,"d":1}]}');
});
