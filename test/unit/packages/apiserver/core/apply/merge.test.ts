import { describe, expect, it } from 'vitest';
import { merge } from '../../../../../../packages/apiserver/core/apply/merge.ts';
import { toMergeType } from '../../../../../../packages/apiserver/core/apply/merge-type.ts';
import { widgetSchema } from './managed-object.ts';

const type = toMergeType(widgetSchema);

function merged(object: object, intent: object): unknown {
  const { spec } = Object(merge(type, { spec: object }, { spec: intent }));
  return spec;
}

describe('an intent merged into an object', () => {
  it.each([
    { reason: 'adds fields', object: { mode: 'a' }, intent: { size: 1 }, result: { mode: 'a', size: 1 } },
    { reason: 'replaces values', object: { mode: 'a' }, intent: { mode: 'b' }, result: { mode: 'b' } },
    {
      reason: 'merges maps and structs',
      object: { lbl: { a: '1' }, struct: { a: '1' } },
      intent: { lbl: { b: '2' }, struct: { c: { d: '3' } } },
      result: { lbl: { a: '1', b: '2' }, struct: { a: '1', c: { d: '3' } } },
    },
    {
      reason: 'replaces atomic values',
      object: { plain: ['a'], piece: { a: '1' }, free: { l: [1] } },
      intent: { plain: ['b'], piece: { b: '2' }, free: { l: [2] } },
      result: { plain: ['b'], piece: { b: '2' }, free: { l: [2] } },
    },
    { reason: 'merges sets', object: { tags: ['a'] }, intent: { tags: ['b'] }, result: { tags: ['a', 'b'] } },
    {
      reason: 'merges items by their keys',
      object: { items: [{ name: 'p', v: 1 }] },
      intent: { items: [{ name: 'q' }, { name: 'p', sub: ['x'] }] },
      result: { items: [{ name: 'q' }, { name: 'p', v: 1, sub: ['x'] }] },
    },
    {
      reason: 'finds items whose keys have defaults',
      object: {
        ports: [
          { port: 80, protocol: 'TCP' },
          { port: 80, protocol: 'UDP' },
        ],
      },
      intent: { ports: [{ port: 80, name: 'web' }] },
      result: {
        ports: [
          { port: 80, protocol: 'TCP', name: 'web' },
          { port: 80, protocol: 'UDP' },
        ],
      },
    },
    {
      reason: 'keeps an item of the object before the item that follows it',
      object: { tags: ['b', 'a'] },
      intent: { tags: ['c', 'a'] },
      result: { tags: ['b', 'c', 'a'] },
    },
    {
      reason: 'puts shared items in its own order',
      object: { tags: ['b', 'c', 'a'] },
      intent: { tags: ['a', 'b'] },
      result: { tags: ['c', 'a', 'b'] },
    },
    {
      reason: 'appends its items when none is shared',
      object: { tags: ['x', 'y'] },
      intent: { tags: ['b', 'a'] },
      result: { tags: ['x', 'y', 'b', 'a'] },
    },
    {
      reason: 'skips shared items that come too early',
      object: { tags: ['b', 'a', 'x', 'd', 'y'] },
      intent: { tags: ['a', 'b', 'c', 'd'] },
      result: { tags: ['a', 'x', 'y', 'b', 'c', 'd'] },
    },
    {
      reason: 'replaces a duplicate item by one',
      object: { items: [{ name: 'p', v: 1 }, { name: 'p', v: 2 }, { name: 'q' }] },
      intent: { items: [{ name: 'p' }] },
      result: { items: [{ name: 'p' }, { name: 'q' }] },
    },
    {
      reason: 'takes nothing from a map by an empty one',
      object: { lbl: { a: '1' } },
      intent: { lbl: {} },
      result: { lbl: { a: '1' } },
    },
    {
      reason: 'takes nothing from a map by null',
      object: { lbl: { a: '1' } },
      intent: { lbl: null },
      result: { lbl: { a: '1' } },
    },
    {
      reason: 'takes nothing from a set by an empty one',
      object: { tags: ['a'] },
      intent: { tags: [] },
      result: { tags: ['a'] },
    },
    {
      reason: 'takes nothing from items by null',
      object: { items: [{ name: 'a' }] },
      intent: { items: null },
      result: { items: [{ name: 'a' }] },
    },
    { reason: 'puts null for a value', object: { mode: 'a' }, intent: { mode: null }, result: { mode: null } },
    { reason: 'fills null', object: { lbl: null }, intent: { lbl: { a: '1' } }, result: { lbl: { a: '1' } } },
    {
      reason: 'replaces a map by a value where either may be',
      object: { free: { x: { a: 1 } } },
      intent: { free: { x: 1 } },
      result: { free: { x: 1 } },
    },
    {
      reason: 'replaces a map by a list where either may be',
      object: { free: { x: { a: 1 } } },
      intent: { free: { x: [] } },
      result: { free: { x: [] } },
    },
  ])('$reason', ({ object, intent, result }) => {
    expect(merged(object, intent)).toEqual(result);
  });

  it('returns the same object when it changes nothing', () => {
    const object = { spec: { lbl: { a: '1' }, tags: ['a', 'b'], items: [{ name: 'p', v: 1 }], piece: { a: '1' } } };
    const intent = { spec: { lbl: { a: '1' }, tags: ['b'], items: [{ name: 'p', v: 1 }], piece: { a: '1' } } };
    expect(merge(type, object, intent)).toBe(object);
  });
});
