// A document during patching: its common parts, and its limits of size and depth.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { PatchDraft } from '../../../../../../functions/topology/plan/patches/draft.ts';
import { defaultPatchLimits, PatchBudget } from '../../../../../../functions/topology/plan/patches/patch-limits.ts';

function aDraft(root: JsonObject, limits: Partial<typeof defaultPatchLimits> = {}): PatchDraft {
  return new PatchDraft(root, new PatchBudget({ ...defaultPatchLimits, ...limits }));
}

function listOf(draft: PatchDraft, key: string) {
  const position = draft.enter(draft.root(), key);
  if (!Array.isArray(position.container)) {
    throw new Error('Expected a list');
  }
  return { level: position.level, container: position.container };
}

const tooLarge = (size: number) => `limit exceeded: the patched template has more than ${size} characters`;

describe('the size of a draft', () => {
  it('grows with the name and value of each member', () => {
    const root = { a: 'x' }; // size in characters: 2 + 5 + 3
    const draft = aDraft(root, { templateSize: 20 });
    draft.set(draft.root(), 'b', 'yyy'); // size in characters: 5 + 5, in total exactly 20
    expect(() => draft.set(draft.root(), 'c', 1)).toThrow(tooLarge(20));
    expect(root).toEqual({ a: 'x' });
  });

  it('no longer counts replaced values', () => {
    const draft = aDraft({ a: 'xxxxxxxx' }, { templateSize: 17 });
    draft.set(draft.root(), 'a', 'yyyyyyyy');
    expect(() => draft.set(draft.root(), 'a', 'yyyyyyyyy')).toThrow(tooLarge(17));
  });

  it('counts items of lists without names', () => {
    const draft = aDraft({ a: [] }, { templateSize: 13 }); // size in characters: 2 + 5 + 2
    draft.insert(listOf(draft, 'a'), 0, 1);
    draft.insert(listOf(draft, 'a'), 1, 2);
    draft.set(listOf(draft, 'a'), '0', 9);
    expect(draft.share()).toEqual({ a: [9, 2] });
    expect(() => draft.insert(listOf(draft, 'a'), 2, 3)).toThrow(tooLarge(13));
    const full = aDraft({ a: [1, 2] }, { templateSize: 13 });
    expect(() => full.set(listOf(full, 'a'), '0', 10)).toThrow(tooLarge(13));
  });

  it('shrinks with removed members', () => {
    const draft = aDraft({ a: 'xxx', b: [1, 2] }, { templateSize: 30 }); // size in characters: 2 + 5 + 5 + 5 + 6
    draft.remove(draft.root(), 'a');
    draft.remove(listOf(draft, 'b'), '0');
    expect(draft.share()).toEqual({ b: [2] }); // size in characters: 2 + 5 + 4
    draft.set(draft.root(), 'c', 'x'.repeat(12)); // size in characters: 5 + 14
    expect(() => draft.set(draft.root(), 'd', 1)).toThrow(tooLarge(30));
  });

  it('is that of the new document where the whole is replaced', () => {
    const draft = aDraft({}, { templateSize: 10 });
    draft.replaceRoot({ a: 'x' });
    expect(() => draft.replaceRoot({ a: 'xy' })).toThrow(tooLarge(10));
    expect(() => draft.replaceRoot([])).toThrow('the whole template can be replaced by an object only');
  });
});

describe('the depth of a draft', () => {
  const deep = 'limit exceeded: nested more than 3 levels deep';

  it('counts from the root', () => {
    const draft = aDraft({ a: { b: {} }, l: [] }, { depth: 3 });
    const inner = draft.enter(draft.enter(draft.root(), 'a'), 'b');
    draft.set(inner, 'text', 1);
    expect(() => draft.set(inner, 'c', {})).toThrow(deep);
    draft.set(draft.root(), 'd', { e: {} });
    expect(() => draft.set(draft.root(), 'd', { e: { f: {} } })).toThrow(deep);
    draft.insert(listOf(draft, 'l'), 0, []);
    expect(() => draft.insert(listOf(draft, 'l'), 0, [[]])).toThrow(deep);
    expect(() => draft.replaceRoot({ a: { b: { c: {} } } })).toThrow(deep);
  });
});

describe('the work on a draft', () => {
  it('copies a container once, and pays for its members', () => {
    const root = { a: { b: 1, c: 2 } };
    const draft = aDraft(root, { made: 24 }); // cost: 8 for the root, 16 for `a`
    draft.enter(draft.root(), 'a');
    draft.enter(draft.root(), 'a');
    expect(() => aDraft(root, { made: 23 }).open(['a'])).toThrow('patches make more than 23 characters');
  });

  it('pays a step for each member that it copies', () => {
    const root = { a: 1, b: 2 };
    expect(() => aDraft(root, { work: 5 }).root()).not.toThrow(); // work: 3 to measure, 2 to copy
    expect(() => aDraft(root, { work: 4 }).root()).toThrow('patches need more than 4 steps');
  });

  it('pays for the characters of a copied value', () => {
    expect(aDraft({}, { made: 4 }).copyOf('ab')).toBe('ab');
    expect(() => aDraft({}, { made: 3 }).copyOf('ab')).toThrow('patches make more than 3 characters');
  });

  it('measures a shared value once, and one of its own each time', () => {
    const value = { a: 1, b: 2, c: 3 }; // work: 4 values
    const draft = aDraft({}, { work: 5 }); // work: 1 for the root
    draft.set(draft.root(), 'x', value);
    draft.root();
    expect(() => draft.set(draft.root(), 'y', value)).not.toThrow();
  });

  it('does not change values that were copied before', () => {
    const draft = aDraft({ a: {} });
    draft.set(draft.enter(draft.root(), 'a'), 'b', 1);
    const shared = draft.share();
    draft.set(draft.enter(draft.root(), 'a'), 'b', 2);
    expect(shared).toEqual({ a: { b: 1 } });
    expect(draft.share()).toEqual({ a: { b: 2 } });
  });
});

describe('the work of a draft', () => {
  it('grows with the levels of a path, once for each search', () => {
    const workOf = (path: readonly string[]): number => {
      const budget = new PatchBudget();
      const draft = new PatchDraft({ a: { a: { a: {} } } }, budget);
      draft.open(['a', 'a', 'a']);
      const before = budget.meter.spent;
      draft.open(path);
      return budget.meter.spent - before;
    };
    expect([workOf([]), workOf(['a']), workOf(['a', 'a', 'a'])]).toEqual([0, 50, 150]);
  });
});
