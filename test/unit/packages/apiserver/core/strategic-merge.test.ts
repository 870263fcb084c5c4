import { describe, expect, it } from 'vitest';
import { applyStrategicMerge } from '../../../../../packages/apiserver/core/strategic-merge.ts';
import { refusalOf } from './core-with-widgets.ts';

const lists = { 'spec.taints': 'replace', 'spec.names': 'set', 'spec.items': { key: 'name' } } as const;
const item = (name: string, more: object = {}) => ({ name, ...more });

describe('a strategic merge patch', () => {
  it.each([
    {
      reason: 'maps are merged, and null removes a member',
      live: { spec: { a: 1, b: { c: 2, d: 3 } } },
      patch: { spec: { a: null, b: { c: 4 }, e: 5 } },
      result: { spec: { b: { c: 4, d: 3 }, e: 5 } },
    },
    {
      reason: 'a new map has no members that are null',
      live: {},
      patch: { spec: { a: { b: null, c: 1 } } },
      result: { spec: { a: { c: 1 } } },
    },
    {
      reason: 'a map replaces a value of another type',
      live: { a: 1 },
      patch: { a: { b: 2 } },
      result: { a: { b: 2 } },
    },
    {
      reason: 'a list is replaced, with what looks like directives',
      live: { spec: { taints: [1, 2] } },
      patch: { spec: { taints: [{ $patch: 'x' }] } },
      result: { spec: { taints: [{ $patch: 'x' }] } },
    },
    {
      reason: 'a set gets what it lacks, once, in the order of the patch',
      live: { spec: { names: ['a', 'b'] } },
      patch: { spec: { names: ['c', 'b', 'c'] } },
      result: { spec: { names: ['c', 'a', 'b'] } },
    },
    { reason: 'a set is made', live: {}, patch: { spec: { names: ['a'] } }, result: { spec: { names: ['a'] } } },
    {
      reason: 'values of a set are deleted, without a patch of the set',
      live: { spec: { names: ['a', 'b', 'c'] } },
      patch: { spec: { '$deleteFromPrimitiveList/names': ['b'] } },
      result: { spec: { names: ['a', 'c'] } },
    },
    {
      reason: 'a set has the order of the client, and others keep their places',
      live: { spec: { names: ['a', 'x', 'b', 'y'] } },
      patch: { spec: { names: ['c'], '$setElementOrder/names': ['b', 'c', 'a'] } },
      result: { spec: { names: ['x', 'b', 'c', 'a', 'y'] } },
    },
    {
      reason: 'items are merged by their key, in the order of the patch',
      live: { spec: { items: [item('a', { v: 1, w: 2 }), item('b')] } },
      patch: { spec: { items: [item('c', { n: null }), item('a', { v: 3, w: null })] } },
      result: { spec: { items: [item('c'), item('a', { v: 3 }), item('b')] } },
    },
    {
      reason: 'an item is deleted',
      live: { spec: { items: [item('a'), item('b')] } },
      patch: { spec: { items: [item('a', { $patch: 'delete' }), item('d', { $patch: 'delete' })] } },
      result: { spec: { items: [item('b')] } },
    },
    {
      reason: 'an item is replaced',
      live: { spec: { items: [item('a', { v: 1 }), item('b')] } },
      patch: { spec: { items: [{ $patch: 'replace' }, item('a', { w: 2 })] } },
      result: { spec: { items: [item('a', { w: 2 })] } },
    },
    {
      reason: 'items have the order of the client',
      live: { spec: { items: [item('a'), item('b')] } },
      patch: { spec: { '$setElementOrder/items': [item('b'), item('a')] } },
      result: { spec: { items: [item('b'), item('a')] } },
    },
    {
      reason: 'members that are not retained are removed',
      live: { spec: { a: 1, b: 2 } },
      patch: { spec: { $retainKeys: ['a', 'c'], c: 3, b: null } },
      result: { spec: { a: 1, c: 3 } },
    },
    {
      reason: 'a map is replaced',
      live: { a: { b: 1 } },
      patch: { a: { $patch: 'replace', c: 2 } },
      result: { a: { c: 2 } },
    },
    { reason: 'a map is emptied', live: { a: { b: 1 } }, patch: { a: { $patch: 'delete', c: 2 } }, result: { a: {} } },
    {
      reason: 'finalizers are a set, owners have a uid, and managed fields are replaced',
      live: { metadata: { finalizers: ['a'], ownerReferences: [{ uid: '1' }], managedFields: [1] } },
      patch: { metadata: { finalizers: ['b'], ownerReferences: [{ uid: '2' }], managedFields: [] } },
      result: {
        metadata: { finalizers: ['b', 'a'], ownerReferences: [{ uid: '2' }, { uid: '1' }], managedFields: [] },
      },
    },
    {
      reason: 'a member __proto__ is data',
      live: {},
      patch: JSON.parse('{"data":{"__proto__":"a"}}'),
      result: JSON.parse('{"data":{"__proto__":"a"}}'),
    },
  ])('$reason', ({ live, patch, result }) => {
    expect(applyStrategicMerge(live, patch, lists)).toEqual(result);
  });

  it('with the order of the client keeps what another put between', () => {
    const live = { spec: { names: ['a', 'x', 'b'] } };
    const patch = { spec: { names: ['c'], '$setElementOrder/names': ['a', 'b', 'c'] } };
    expect(applyStrategicMerge(live, patch, lists)).toEqual({ spec: { names: ['a', 'x', 'b', 'c'] } });
  });

  it.each([
    { patch: [], message: 'error decoding patch: a strategic merge patch is an object' },
    { patch: { $patch: 'merge' }, message: 'unknown patch type found: "merge"' },
    { patch: { a: { $patch: 1 } }, message: 'unknown patch type found: 1 at a' },
    { patch: { a: { $other: 1 } }, message: 'a strategic merge patch has no directive $other' },
    {
      patch: { $retainKeys: ['a'], b: 1 },
      message: '$retainKeys must list all members of the patch; wrong at the object',
    },
    { patch: { a: { $retainKeys: 'b' } }, message: '$retainKeys must list all members of the patch; wrong at a' },
    {
      patch: { status: { taints: [] } },
      message: 'a strategic merge patch may not contain the list status.taints: send a merge patch or a JSON patch',
    },
    { patch: { spec: { items: [{ v: 1 }] } }, message: 'an item of spec.items does not contain its merge key name' },
    { patch: { spec: { items: ['a'] } }, message: 'an item of spec.items does not contain its merge key name' },
    {
      patch: { spec: { '$setElementOrder/names': 'a' } },
      message: 'a directive about the list spec.names must be a list',
    },
  ])('is refused: $message', ({ patch, message }) => {
    expect(refusalOf(() => applyStrategicMerge({}, patch, lists))).toMatchObject({ code: 400, message });
  });
});
