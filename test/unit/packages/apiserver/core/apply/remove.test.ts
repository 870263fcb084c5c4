import { describe, expect, it } from 'vitest';
import { setOf } from '../../../../../../packages/apiserver/core/apply/field-set.ts';
import { toMergeType } from '../../../../../../packages/apiserver/core/apply/merge-type.ts';
import { removeFields } from '../../../../../../packages/apiserver/core/apply/remove.ts';
import { widgetSchema } from './managed-object.ts';

const type = toMergeType(widgetSchema);

interface Row {
  readonly reason: string;
  readonly spec: object;
  readonly paths: readonly (readonly string[])[];
  readonly left: unknown;
}

describe('removing fields from an object', () => {
  it.each<Row>([
    { reason: 'removes a value', spec: { mode: 'a', size: 1 }, paths: [['f:mode']], left: { size: 1 } },
    {
      reason: 'removes a container with its content',
      spec: { mode: 'a', struct: { a: '1', c: { d: '2' } } },
      paths: [['f:struct']],
      left: { mode: 'a' },
    },
    {
      reason: 'removes a part of a container',
      spec: { struct: { a: '1', c: { d: '2' } } },
      paths: [['f:struct', 'f:c']],
      left: { struct: { a: '1' } },
    },
    {
      reason: 'removes members of sets',
      spec: { tags: ['a', 'b', 'c'] },
      paths: [['f:tags', 'v:"b"']],
      left: { tags: ['a', 'c'] },
    },
    {
      reason: 'removes items, and fields of items',
      spec: {
        items: [
          { name: 'p', v: 1 },
          { name: 'q', v: 2 },
        ],
      },
      paths: [
        ['f:items', 'k:{"name":"p"}'],
        ['f:items', 'k:{"name":"q"}', 'f:v'],
      ],
      left: { items: [{ name: 'q' }] },
    },
    {
      reason: 'replaces a map and a list without parts by null',
      spec: { lbl: { a: '1' }, tags: ['a'], mode: 'a' },
      paths: [
        ['f:lbl', 'f:a'],
        ['f:tags', 'v:"a"'],
      ],
      left: { lbl: null, tags: null, mode: 'a' },
    },
    {
      reason: 'removes nothing from an atomic value',
      spec: { piece: { a: '1' }, plain: ['a'] },
      paths: [
        ['f:piece', 'f:a'],
        ['f:plain', 'v:"a"'],
      ],
      left: { piece: { a: '1' }, plain: ['a'] },
    },
  ])('$reason', ({ spec, paths, left }) => {
    const set = setOf(...paths.map(path => ['f:spec', ...path]));
    expect(removeFields(type, { spec }, set)).toEqual({ spec: left });
  });

  it('returns the same object if it has none of the paths', () => {
    const object = { spec: { mode: 'a', tags: ['a'], items: [{ name: 'p' }] } };
    const set = setOf(['f:spec', 'f:size'], ['f:spec', 'f:tags', 'v:"b"'], ['f:spec', 'f:items', 'k:{"name":"q"}']);
    expect(removeFields(type, object, set)).toBe(object);
    expect(removeFields(type, object, undefined)).toBe(object);
  });
});
