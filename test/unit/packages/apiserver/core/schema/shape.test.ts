import { describe, expect, it } from 'vitest';
import { parseSchema } from '../../../../../../packages/apiserver/core/schema/node.ts';
import { shapeRoot } from '../../../../../../packages/apiserver/core/schema/shape.ts';

const text = { type: 'string' };
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function shape(spec: unknown, schema: object, onUnknown?: (path: string) => void): unknown {
  const root = parseSchema({ type: 'object', properties: { spec: schema } }, '');
  return shapeRoot({ apiVersion: 'v1', metadata: { name: 'x', any: 1 }, spec }, root, onUnknown)['spec'];
}

describe('shaping an object by its schema', () => {
  it.each([
    {
      reason: 'unknown members',
      schema: { type: 'object', properties: { a: text } },
      given: { a: 'x', b: 'y' },
      result: { a: 'x' },
    },
    {
      reason: 'unknown members of items',
      schema: { type: 'array', items: { type: 'object', properties: { a: text } } },
      given: [{ a: 'x', b: 1 }],
      result: [{ a: 'x' }],
    },
    {
      reason: 'unknown members of described values',
      schema: { type: 'object', additionalProperties: { type: 'object' } },
      given: { k: { b: 1 } },
      result: { k: {} },
    },
    {
      reason: 'unknown members of described members of free objects',
      schema: { ...free, properties: { a: { type: 'object' } } },
      given: { a: { x: 1 }, b: 2 },
      result: { a: {}, b: 2 },
    },
    {
      reason: 'invalid nulls',
      schema: { type: 'object', properties: { a: text } },
      given: { a: null },
      result: {},
    },
    {
      reason: 'invalid null values',
      schema: { type: 'object', additionalProperties: text },
      given: { k: null },
      result: {},
    },
  ])('drops $reason', ({ schema, given, result }) => {
    expect(shape(given, schema)).toEqual(result);
  });

  it.each([
    { reason: 'members of free objects', schema: free, given: { a: { b: null } } },
    {
      reason: 'values that are not described',
      schema: { type: 'object', additionalProperties: true },
      given: { a: { b: 1 } },
    },
    {
      reason: 'nullable values',
      schema: { type: 'object', properties: { a: { ...text, nullable: true } } },
      given: { a: null },
    },
    {
      reason: 'apiVersion, kind and metadata of embedded objects',
      schema: { type: 'object', 'x-kubernetes-embedded-resource': true },
      given: { apiVersion: 'v1', kind: 'K', metadata: {} },
    },
    { reason: 'items that are not described', schema: { type: 'array' }, given: [{ a: 1 }] },
  ])('keeps $reason, and the very object', ({ schema, given }) => {
    expect(shape(given, schema)).toBe(given);
  });

  it.each([
    { reason: 'absent', given: {}, result: { n: 1 } },
    { reason: 'null', given: { n: null }, result: { n: 1 } },
    { reason: 'given', given: { n: 2 }, result: { n: 2 } },
  ])('sets the default of a member that is $reason to $result.n', ({ given, result }) => {
    expect(shape(given, { type: 'object', properties: { n: { type: 'integer', default: 1 } } })).toEqual(result);
  });

  it('sets defaults below a default', () => {
    const inner = { type: 'object', default: {}, properties: { n: { type: 'integer', default: 1 } } };
    expect(shape({}, { type: 'object', properties: { inner } })).toEqual({ inner: { n: 1 } });
    expect(shape([{}], { type: 'array', items: { type: 'object', properties: { inner } } })).toEqual([
      { inner: { n: 1 } },
    ]);
  });

  it('reports the path of every unknown member', () => {
    const reported: string[] = [];
    const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'object' } } } };
    shape({ x: 1, list: [{}, { y: 2 }] }, schema, path => reported.push(path));
    expect(reported).toEqual(['spec.x', 'spec.list[1].y']);
  });
});
