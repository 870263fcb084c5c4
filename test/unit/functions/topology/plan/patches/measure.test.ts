// Sizes and depths of JSON values.
import { describe, expect, it } from 'vitest';
import { measure, memberSize } from '../../../../../../functions/topology/plan/patches/measure.ts';
import { defaultPatchLimits, PatchBudget } from '../../../../../../functions/topology/plan/patches/patch-limits.ts';

const withLimits = (limits: Partial<typeof defaultPatchLimits>) =>
  new PatchBudget({ ...defaultPatchLimits, ...limits });

describe('the measure of a value', () => {
  it.each([
    { value: 'ab', size: 4, depth: 0 },
    { value: '', size: 2, depth: 0 },
    { value: 12, size: 2, depth: 0 },
    { value: true, size: 4, depth: 0 },
    { value: null, size: 4, depth: 0 },
    { value: [], size: 2, depth: 1 },
    { value: {}, size: 2, depth: 1 },
    { value: [1, 2], size: 6, depth: 1 },
    { value: { a: 1, bc: 'd' }, size: 2 + 5 + 1 + 6 + 3, depth: 1 },
    { value: [[[]], 1], size: 2 + (1 + 2 + (1 + 2)) + 2, depth: 3 },
    { value: { a: { b: {} }, c: 1 }, size: 2 + 5 + (2 + 5 + 2) + 5 + 1, depth: 3 },
  ])('is its characters and its levels: $value', ({ value, size, depth }) => {
    expect(measure(value, new PatchBudget())).toEqual({ size, depth });
  });

  it('stops at the limit of levels', () => {
    const budget = withLimits({ depth: 2 });
    expect(measure([[]], budget).depth).toBe(2);
    expect(() => measure([[[]]], budget)).toThrow('limit exceeded: nested more than 2 levels deep');
    expect(() => measure({ a: { b: {} } }, budget)).toThrow('nested more than 2 levels deep');
  });

  it('costs one step for each value', () => {
    expect(() => measure([1, { a: 2 }], withLimits({ work: 4 }))).not.toThrow();
    expect(() => measure([1, { a: 2 }], withLimits({ work: 3 }))).toThrow('patches need more than 3 steps');
  });

  it('of a member is its name, quotes, colon and comma', () => {
    expect(memberSize('name')).toBe(8);
  });
});
