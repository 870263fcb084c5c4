import { describe, expect, it } from 'vitest';
import { PatchError } from '../../../../../packages/apimachinery/json-patch/document.ts';
import { applyJsonPatch } from '../../../../../packages/apiserver/core/update.ts';

describe('a JSON patch', () => {
  it('applies its operations in order', () => {
    const patch = [
      { op: 'test', path: '/a', value: [1] },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/-', value: 2 },
      { op: 'remove', path: '/b/-2' },
    ];
    expect(applyJsonPatch({ a: [1] }, patch)).toEqual({ a: [1], b: [2] });
  });

  it.each([
    {
      reason: 'an operation that does not apply',
      operation: { op: 'remove', path: '/x' },
      problem: "operation 1: error in remove for path: '/x': unable to remove nonexistent key: x: missing value",
    },
    {
      reason: 'an operation that is invalid',
      operation: { op: 'increase', path: '/a' },
      problem: 'operation 1: unsupported operation "increase"',
    },
    {
      reason: 'another value than an object for the whole',
      operation: { op: 'replace', path: '', value: 2 },
      problem: 'operation 1: the whole document can be replaced by an object only',
    },
  ])('refuses $reason and changes nothing', ({ operation, problem }) => {
    const target = { a: 1, list: [1] };
    const patch = [{ op: 'add', path: '/b', value: 1 }, operation];
    expect(() => applyJsonPatch(target, patch)).toThrow(new PatchError(problem));
    expect(target).toEqual({ a: 1, list: [1] });
  });

  it('copies three megabytes at most', () => {
    const copy = (path: string) => ({ op: 'copy', from: '/text', path });
    const target = { text: 'x'.repeat(1024 * 1024) };
    expect(Object.keys(applyJsonPatch(target, [copy('/a'), copy('/b')]))).toEqual(['text', 'a', 'b']);
    expect(() => applyJsonPatch(target, [copy('/a'), copy('/b'), copy('/c')])).toThrow(
      'operation 2: copies more than 3145728 bytes',
    );
  });

  it('does not change the values of its operations', () => {
    const value = { b: 1 };
    const patched = applyJsonPatch({}, [
      { op: 'add', path: '/a', value },
      { op: 'add', path: '/a/c', value: 2 },
    ]);
    expect(patched).toEqual({ a: { b: 1, c: 2 } });
    expect(value).toEqual({ b: 1 });
  });
});
