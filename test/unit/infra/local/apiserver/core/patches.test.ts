import { describe, expect, it } from 'vitest';
import { applyJsonPatch, JsonPatchError } from '../../../../../../infra/local/apiserver/core/json-patch.ts';
import { applyMergePatch } from '../../../../../../infra/local/apiserver/core/merge-patch.ts';
import { nullsInLists } from '../../../../../support/null-members.ts';

describe('a merge patch', () => {
  it.each([
    { reason: 'sets and keeps', target: { a: 1 }, patch: { b: 2 }, result: { a: 1, b: 2 } },
    { reason: 'removes by null', target: { a: 1, b: 2 }, patch: { a: null }, result: { b: 2 } },
    { reason: 'goes into objects', target: { a: { b: 1, c: 2 } }, patch: { a: { b: null } }, result: { a: { c: 2 } } },
    { reason: 'replaces lists', target: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] } },
    {
      reason: 'replaces what is no object',
      target: { a: 1 },
      patch: { a: { b: null, c: 1 } },
      result: { a: { c: 1 } },
    },
    ...nullsInLists.map(({ document: target, ...row }) => ({ ...row, target })),
    { reason: 'ignores what is undefined', target: { a: 1 }, patch: { a: undefined }, result: { a: 1 } },
  ])('$reason', ({ target, patch, result }) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });
});

describe('a JSON patch', () => {
  it.each([
    { reason: 'adds a member', target: {}, patch: [{ op: 'add', path: '/a', value: 1 }], result: { a: 1 } },
    { reason: 'adds within a list', target: [1, 3], patch: [{ op: 'add', path: '/1', value: 2 }], result: [1, 2, 3] },
    { reason: 'appends', target: [1], patch: [{ op: 'add', path: '/-', value: 2 }], result: [1, 2] },
    {
      reason: 'replaces',
      target: { a: { b: 1 } },
      patch: [{ op: 'replace', path: '/a/b', value: 2 }],
      result: { a: { b: 2 } },
    },
    { reason: 'replaces an item', target: [1, 2], patch: [{ op: 'replace', path: '/0', value: 3 }], result: [3, 2] },
    { reason: 'replaces the whole', target: { a: 1 }, patch: [{ op: 'replace', path: '', value: 2 }], result: 2 },
    { reason: 'removes a member', target: { a: 1, b: 2 }, patch: [{ op: 'remove', path: '/a' }], result: { b: 2 } },
    { reason: 'removes an item', target: [1, 2], patch: [{ op: 'remove', path: '/0' }], result: [2] },
    { reason: 'removes the whole', target: { a: 1 }, patch: [{ op: 'remove', path: '' }], result: null },
    { reason: 'moves', target: { a: 1 }, patch: [{ op: 'move', from: '/a', path: '/b' }], result: { b: 1 } },
    {
      reason: 'copies',
      target: { a: [1] },
      patch: [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/b/-', value: 2 },
      ],
      result: { a: [1], b: [1, 2] },
    },
    {
      reason: 'goes on after a test',
      target: { a: [1] },
      patch: [
        { op: 'test', path: '/a', value: [1] },
        { op: 'remove', path: '/a' },
      ],
      result: {},
    },
    {
      reason: 'reads ~1 and ~0',
      target: {},
      patch: [{ op: 'add', path: '/a~1b~0c', value: 1 }],
      result: { 'a/b~c': 1 },
    },
  ])('$reason', ({ target, patch, result }) => {
    expect(applyJsonPatch(target, patch)).toEqual(result);
  });

  it.each([
    { reason: 'a test that fails', patch: [{ op: 'test', path: '/a', value: 2 }] },
    { reason: 'a missing member', patch: [{ op: 'remove', path: '/x' }] },
    { reason: 'a replacement of nothing', patch: [{ op: 'replace', path: '/x', value: 1 }] },
    { reason: 'a missing parent', patch: [{ op: 'add', path: '/x/y', value: 1 }] },
    { reason: 'a parent that has no members', patch: [{ op: 'add', path: '/a/y', value: 1 }] },
    { reason: 'an index beyond the end', patch: [{ op: 'add', path: '/list/2', value: 1 }] },
    { reason: 'an index with a leading zero', patch: [{ op: 'remove', path: '/list/00' }] },
    { reason: 'a negative index', patch: [{ op: 'remove', path: '/list/-1' }] },
    { reason: 'an unknown operation', patch: [{ op: 'increase', path: '/a' }] },
    { reason: 'an operation that is no object', patch: ['remove'] },
    { reason: 'a path that is no pointer', patch: [{ op: 'remove', path: 'a' }] },
    { reason: 'a missing path', patch: [{ op: 'remove' }] },
    { reason: 'a missing source', patch: [{ op: 'copy', path: '/b' }] },
    { reason: 'a missing value', patch: [{ op: 'add', path: '/b' }] },
  ])('refuses $reason and changes nothing', ({ patch }) => {
    const target = { a: 1, list: [1] };
    expect(() => applyJsonPatch(target, [{ op: 'add', path: '/b', value: 1 }, ...patch])).toThrow(JsonPatchError);
    expect(target).toEqual({ a: 1, list: [1] });
  });

  it('keeps no hold on the values that it was given', () => {
    const value = { b: 1 };
    applyJsonPatch({}, [
      { op: 'add', path: '/a', value },
      { op: 'add', path: '/a/c', value: 2 },
    ]);
    expect(value).toEqual({ b: 1 });
  });
});
