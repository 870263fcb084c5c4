import { describe, expect, it } from 'vitest';
import { parseSchema, SchemaError } from '../../../../../../packages/apiserver/core/schema/node.ts';
import { problemsOfRoot } from '../../../../../../packages/apiserver/core/schema/validate.ts';

function causes(value: unknown, schema: object): readonly string[] {
  const root = parseSchema({ type: 'object', required: ['metadata'], properties: { v: schema } }, '');
  return problemsOfRoot({ v: value }, root).map(({ reason, field }) => `${reason} ${field}`);
}

const keyed = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k', 'p'],
  items: { type: 'object', properties: { k: { type: 'string' }, p: { type: 'string', default: 'tcp' } } },
};

describe('validating a value by its schema', () => {
  it.each([
    { reason: 'text for a number', schema: { type: 'integer' }, value: 'x', problem: 'FieldValueTypeInvalid v' },
    {
      reason: 'a fraction for an integer',
      schema: { type: 'integer' },
      value: 1.5,
      problem: 'FieldValueTypeInvalid v',
    },
    { reason: 'null where none may be', schema: { type: 'string' }, value: null, problem: 'FieldValueTypeInvalid v' },
    { reason: 'a list for an object', schema: { type: 'object' }, value: [], problem: 'FieldValueTypeInvalid v' },
    {
      reason: 'a boolean for an int-or-string',
      schema: { 'x-kubernetes-int-or-string': true },
      value: true,
      problem: 'FieldValueTypeInvalid v',
    },
    {
      reason: 'a word that is not offered',
      schema: { type: 'string', enum: ['a'] },
      value: 'b',
      problem: 'FieldValueNotSupported v',
    },
    {
      reason: 'too long a text',
      schema: { type: 'string', maxLength: 2 },
      value: 'abc',
      problem: 'FieldValueTooLong v',
    },
    { reason: 'too short a text', schema: { type: 'string', minLength: 1 }, value: '', problem: 'FieldValueInvalid v' },
    {
      reason: 'a text off the pattern',
      schema: { type: 'string', pattern: '^a' },
      value: 'b',
      problem: 'FieldValueInvalid v',
    },
    {
      reason: 'a text that is not a time',
      schema: { type: 'string', format: 'date-time' },
      value: '2026-01-01',
      problem: 'FieldValueTypeInvalid v',
    },
    {
      reason: 'a time that is none',
      schema: { type: 'string', format: 'date-time' },
      value: '2026-13-01T00:00:00Z',
      problem: 'FieldValueTypeInvalid v',
    },
    {
      reason: 'a text that is not a network',
      schema: { type: 'string', format: 'cidr' },
      value: '10.0.0.0',
      problem: 'FieldValueTypeInvalid v',
    },
    {
      reason: 'a text that is not base64',
      schema: { type: 'string', format: 'byte' },
      value: 'a',
      problem: 'FieldValueTypeInvalid v',
    },
    { reason: 'too small a number', schema: { type: 'integer', minimum: 1 }, value: 0, problem: 'FieldValueInvalid v' },
    { reason: 'too big a number', schema: { type: 'number', maximum: 1 }, value: 1.5, problem: 'FieldValueInvalid v' },
    {
      reason: 'a number on an open lower end',
      schema: { type: 'integer', minimum: 1, exclusiveMinimum: true },
      value: 1,
      problem: 'FieldValueInvalid v',
    },
    {
      reason: 'a number on an open upper end',
      schema: { type: 'integer', maximum: 1, exclusiveMaximum: true },
      value: 1,
      problem: 'FieldValueInvalid v',
    },
    { reason: 'no multiple', schema: { type: 'integer', multipleOf: 5 }, value: 6, problem: 'FieldValueInvalid v' },
    {
      reason: 'more than 32 bits',
      schema: { type: 'integer', format: 'int32' },
      value: 2 ** 31,
      problem: 'FieldValueInvalid v',
    },
    {
      reason: 'more than is exact',
      schema: { type: 'integer', format: 'int64' },
      value: 2 ** 60,
      problem: 'FieldValueInvalid v',
    },
    { reason: 'too many items', schema: { type: 'array', maxItems: 1 }, value: [1, 2], problem: 'FieldValueTooMany v' },
    { reason: 'too few items', schema: { type: 'array', minItems: 1 }, value: [], problem: 'FieldValueInvalid v' },
    {
      reason: 'a wrong item',
      schema: { type: 'array', items: { type: 'string' } },
      value: ['a', 1],
      problem: 'FieldValueTypeInvalid v[1]',
    },
    {
      reason: 'a value twice in a set',
      schema: { type: 'array', 'x-kubernetes-list-type': 'set' },
      value: ['a', 'b', 'a'],
      problem: 'FieldValueDuplicate v[2]',
    },
    {
      reason: 'a value three times in a set, once',
      schema: { type: 'array', 'x-kubernetes-list-type': 'set' },
      value: ['a', 'a', 'a'],
      problem: 'FieldValueDuplicate v[1]',
    },
    {
      reason: 'a key twice, once by default',
      schema: keyed,
      value: [{ k: 'a' }, { k: 'a', p: 'tcp' }],
      problem: 'FieldValueDuplicate v[1]',
    },
    {
      reason: 'a missing member',
      schema: { type: 'object', required: ['a'] },
      value: {},
      problem: 'FieldValueRequired v.a',
    },
    {
      reason: 'a wrong value of a map',
      schema: { type: 'object', additionalProperties: { type: 'string' } },
      value: { k: 1 },
      problem: 'FieldValueTypeInvalid v.k',
    },
    {
      reason: 'too many members',
      schema: { type: 'object', maxProperties: 1 },
      value: { a: 1, b: 2 },
      problem: 'FieldValueTooMany v',
    },
    {
      reason: 'too few members',
      schema: { type: 'object', minProperties: 1 },
      value: {},
      problem: 'FieldValueInvalid v',
    },
    {
      reason: 'one of all that must hold',
      schema: { type: 'integer', allOf: [{ minimum: 1 }, { maximum: 2 }] },
      value: 3,
      problem: 'FieldValueInvalid v',
    },
    {
      reason: 'none of those that may hold',
      schema: { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 2 }] },
      value: 3,
      problem: 'FieldValueInvalid v',
    },
    {
      reason: 'two of which one may hold',
      schema: { type: 'integer', oneOf: [{ minimum: 1 }, { maximum: 5 }] },
      value: 3,
      problem: 'FieldValueInvalid v',
    },
    {
      reason: 'what must not hold',
      schema: { type: 'integer', not: { minimum: 1 } },
      value: 3,
      problem: 'FieldValueInvalid v',
    },
  ])('finds $reason', ({ schema, value, problem }) => {
    expect(causes(value, schema)).toEqual([problem]);
  });

  it.each([
    { reason: 'an integer for a number', schema: { type: 'number' }, value: 1 },
    { reason: 'null where it may be', schema: { type: 'string', nullable: true }, value: null },
    {
      reason: 'either of int-or-string',
      schema: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      value: '25%',
    },
    {
      reason: 'a time with offset and fraction',
      schema: { type: 'string', format: 'date-time' },
      value: '2026-01-01T00:00:00.5+02:00',
    },
    { reason: 'unknown formats', schema: { type: 'string', format: 'poem' }, value: 'x' },
    { reason: 'formats of another type', schema: { type: 'string', format: 'int32' }, value: 'x' },
    { reason: 'equal values in an atomic list', schema: { type: 'array' }, value: ['a', 'a'] },
    { reason: 'keys that differ in one part', schema: keyed, value: [{ k: 'a' }, { k: 'a', p: 'udp' }] },
    { reason: 'text counted by characters', schema: { type: 'string', maxLength: 1 }, value: '😀' },
    {
      reason: 'anything where no type is named',
      schema: { 'x-kubernetes-preserve-unknown-fields': true },
      value: [1, 'a', null],
    },
    {
      reason: 'one of those that may hold',
      schema: { type: 'integer', oneOf: [{ minimum: 5 }, { maximum: 5 }] },
      value: 3,
    },
  ])('accepts $reason', ({ schema, value }) => {
    expect(causes(value, schema)).toEqual([]);
  });

  it.each([
    {
      list: 'keyed',
      schema: keyed,
      value: [
        { p: 'udp', k: 'b' },
        { k: 'b', p: 'udp' },
      ],
      shown: '{"k":"b","p":"udp"}',
    },
    { list: 'keyed without a key', schema: keyed, value: [{ p: 'udp' }, { p: 'udp' }], shown: '{"p":"udp"}' },
    { list: 'set', schema: { type: 'array', 'x-kubernetes-list-type': 'set' }, value: ['b', 'b'], shown: '"b"' },
    {
      list: 'set of objects',
      schema: { type: 'array', 'x-kubernetes-list-type': 'set' },
      value: [
        { y: 1, x: 2 },
        { x: 2, y: 1 },
      ],
      shown: '{"x":2,"y":1}',
    },
  ])('prints the duplicate: $list', ({ schema, value, shown }) => {
    const root = parseSchema({ type: 'object', properties: { v: schema } }, '');
    expect(problemsOfRoot({ v: value }, root).map(({ message }) => message)).toEqual([`Duplicate value: ${shown}`]);
  });

  it('validates one member only on request', () => {
    const root = parseSchema(
      { type: 'object', required: ['spec'], properties: { status: { type: 'object', required: ['a'] } } },
      '',
    );
    const fields = (object: object) =>
      problemsOfRoot({ ...object }, root, { only: 'status' }).map(cause => cause.field);
    expect(fields({ status: {} })).toEqual(['status.a']);
    expect(fields({})).toEqual([]);
    expect(problemsOfRoot({}, root).map(cause => cause.field)).toEqual(['spec']);
  });
});

describe('comparing an object with the one it replaces', () => {
  const short = { type: 'string', maxLength: 1 };
  const item = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: short } };
  const properties = {
    a: short,
    list: { type: 'array', items: item },
    keyed: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: item },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    map: { type: 'object', additionalProperties: short },
    needy: { type: 'object', required: ['b'], properties: { b: short, c: short } },
    either: { type: 'object', anyOf: [{ required: ['x'] }], properties: { x: short, y: { type: 'string' } } },
  };
  const root = parseSchema({ type: 'object', required: ['gone'], properties }, '');
  const left = (before: object, after: object) =>
    problemsOfRoot({ ...after }, root, { live: { ...before } }).map(({ reason, field }) => `${reason} ${field}`);
  const gone = 'FieldValueRequired gone';

  it.each([
    { reason: 'a value that stays', before: { a: 'long' }, after: { a: 'long' }, problems: [] },
    {
      reason: 'a value that changes',
      before: { a: 'long' },
      after: { a: 'longer' },
      problems: ['FieldValueTooLong a'],
    },
    { reason: 'a value that is new', before: {}, after: { a: 'long' }, problems: ['FieldValueTooLong a'] },
    {
      reason: 'a member of a map',
      before: { map: { x: 'long' } },
      after: { map: { x: 'long', y: 'n' } },
      problems: [],
    },
    {
      reason: 'an item that moved, matched by its key',
      before: { keyed: [{ k: 'a', v: 'long' }] },
      after: { keyed: [{ k: 'b' }, { k: 'a', v: 'long' }] },
      problems: [],
    },
    {
      reason: 'an item of a list without keys that changed elsewhere',
      before: { list: [{ k: 'a', v: 'long' }] },
      after: { list: [{ k: 'a', v: 'long' }, { k: 'b' }] },
      problems: ['FieldValueTooLong list[0].v'],
    },
    {
      reason: 'an unchanged object that lacks a member',
      before: { needy: { c: 'n' } },
      after: { needy: { c: 'n' } },
      problems: [],
    },
    {
      reason: 'a changed object that lacks a member',
      before: { needy: { c: 'n' } },
      after: { needy: { c: 'm' } },
      problems: ['FieldValueRequired needy.b'],
    },
    { reason: 'a choice that stays', before: { either: { y: 'n' } }, after: { either: { y: 'n' } }, problems: [] },
    {
      reason: 'duplicates that replace duplicates',
      before: { set: ['a', 'a'] },
      after: { set: ['b', 'b'] },
      problems: [],
    },
    {
      reason: 'new duplicates',
      before: { set: ['a'] },
      after: { set: ['b', 'b'] },
      problems: ['FieldValueDuplicate set[1]'],
    },
  ])('judges $reason', ({ before, after, problems }) => {
    expect(left(before, after)).toEqual([gone, ...problems]);
  });
});

describe('parsing a schema', () => {
  it.each([
    { reason: 'what is not an object', schema: { properties: { a: 'string' } }, path: '.properties[a]' },
    { reason: 'an unknown type', schema: { items: { type: 'text' } }, path: '.items.type' },
  ])('refuses $reason and names the position', ({ schema, path }) => {
    const parse = () => parseSchema(schema, '');
    expect(parse).toThrow(SchemaError);
    expect(parse).toThrow(expect.objectContaining({ path }));
  });
});
