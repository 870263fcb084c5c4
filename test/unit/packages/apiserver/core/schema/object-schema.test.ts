// Rules on writes: when they are evaluated, and on which values.
import { describe, expect, it } from 'vitest';
import { createObjectSchema } from '../../../../../../packages/apiserver/core/schema/object-schema.ts';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 10' }, { rule: 'self >= oldSelf' }] },
        mode: { type: 'string', maxLength: 3 },
      },
    },
    status: { type: 'object', properties: { count: { type: 'integer' } } },
  },
  'x-kubernetes-validations': [{ rule: "self.metadata.name != 'bad'", message: 'a bad name' }],
};

const object = (spec: object, name = 'good') => ({ apiVersion: 'v1', kind: 'K', metadata: { name }, spec });
const { problems } = createObjectSchema(schema, '');
const reported = (...parts: Parameters<typeof problems>) => problems(...parts).map(({ field }) => field);

describe('rules of an object', () => {
  it.each([
    { reason: 'nothing is wrong', spec: { size: 1 }, fields: [] },
    { reason: 'a rule is broken', spec: { size: 10 }, fields: ['spec.size'] },
    { reason: 'the name breaks a rule', spec: {}, name: 'bad', fields: [''] },
    { reason: 'transition rules are skipped on create', spec: { size: 0 }, fields: [] },
    { reason: 'a value went back', spec: { size: 0 }, before: { size: 1 }, fields: ['spec.size'] },
    { reason: 'a value was broken before', spec: { size: 11, mode: 'b' }, before: { size: 11, mode: 'a' }, fields: [] },
    { reason: 'the schema is broken too badly', spec: { size: 10, mode: 'long' }, fields: ['spec.mode', '<nil>'] },
  ])('$reason', ({ spec, name, before, fields }) => {
    const of = before === undefined ? {} : { live: object(before) };
    expect(reported(object(spec, name), of)).toEqual(fields);
  });

  it('are evaluated on the whole object when only its status is written', () => {
    expect(reported(object({ size: 10, mode: 'long' }), { only: 'status' })).toEqual(['spec.size']);
  });
});
