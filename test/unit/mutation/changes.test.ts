import { describe, expect, it } from 'vitest';
import { changedFiles, findBase, type Git, hasChanged } from '../../mutation/changes.ts';
import { planSteps } from '../../mutation/mutation-steps.ts';
import type { MutationSet } from '../../mutation/sets.ts';

/** A repository with these answers, by Git command. */
function aRepository(answers: Readonly<Record<string, string>>): Git {
  return (...args) => answers[args.filter(arg => !arg.startsWith('--')).join(' ')];
}

const linear = { 'rev-parse HEAD^{commit}': 'c3', 'rev-parse HEAD~1^{commit}': 'c2', 'merge-base HEAD main': 'c3' };
const none = { since: undefined, configured: undefined };

describe('the base commit', () => {
  it.each([
    { answers: linear, wish: none, base: { commit: 'c2', from: 'HEAD~1' }, reason: 'main itself' },
    {
      answers: { ...linear, 'merge-base HEAD main': 'c1' },
      wish: none,
      base: { commit: 'c1', from: 'merge base with main' },
      reason: 'a branch',
    },
    {
      answers: { ...linear, 'rev-parse c0^{commit}': 'c0' },
      wish: { ...none, configured: 'c0' },
      base: { commit: 'c0', from: 'CAPI_BASE' },
      reason: 'CI names it',
    },
    {
      answers: { ...linear, 'rev-parse v1^{commit}': 'c1', 'rev-parse c0^{commit}': 'c0' },
      wish: { since: 'v1', configured: 'c0' },
      base: { commit: 'c1', from: '--since' },
      reason: 'the option precedes the variable',
    },
    {
      answers: linear,
      wish: { ...none, configured: 'c0' },
      base: undefined,
      reason: 'CI names a commit before the clone',
    },
    { answers: { 'rev-parse HEAD^{commit}': 'c3' }, wish: none, base: undefined, reason: 'a clone of depth 1' },
    { answers: {}, wish: none, base: undefined, reason: 'no repository' },
  ])('is $base.commit: $reason', ({ answers, wish, base }) => {
    expect(findBase(aRepository(answers), wish)).toEqual(base);
  });

  it('must exist if it was requested', () => {
    expect(() => findBase(aRepository(linear), { ...none, since: 'typo' })).toThrow(
      '--since typo: there is no such commit',
    );
  });
});

describe('changed files', () => {
  it('are those of commits, the working tree and new files', () => {
    const git = aRepository({ 'diff c1': 'a.ts\nb.ts', 'ls-files': 'new.ts' });
    expect(changedFiles(git, { commit: 'c1', from: '' })).toEqual(['a.ts', 'b.ts', 'new.ts']);
  });
});

const aSet = (set: Partial<MutationSet> = {}): MutationSet => ({
  source: ['functions/toy/{decide,report}.ts', 'functions/toy/phases/**/*.ts'],
  tests: 'test/unit/functions/toy/**/*.test.ts',
  without: [],
  lowestScore: 90,
  shareOfChanged: 1,
  definition: 'test/unit/functions/toy/mutation.json',
  ...set,
});

describe('a set', () => {
  it.each([
    { file: 'functions/toy/decide.ts', changed: true, reason: 'its source' },
    { file: 'functions/toy/phases/deep/one.ts', changed: true, reason: 'its source, even if the file was deleted' },
    { file: 'test/unit/functions/toy/decide.test.ts', changed: true, reason: 'its tests' },
    { file: 'test/unit/functions/toy/mutation.json', changed: true, reason: 'its definition' },
    { file: 'test/mutation/runner.ts', changed: true, reason: 'the runner tests all sets' },
    { file: 'functions/toy/handler.ts', changed: false, reason: 'not mutated' },
    { file: 'test/mutation/mutation-steps.ts', changed: false, reason: 'no part of a judgement' },
  ])('has changed with $file: $changed, $reason', ({ file, changed }) => {
    expect(hasChanged(aSet(), ['README.md', file])).toBe(changed);
  });
});

describe('a run', () => {
  const sets = { a: aSet(), b: aSet({ shareOfChanged: 0.25 }), c: aSet(), d: aSet() };
  const choice = { everything: false, wanted: [], seed: 0, bytesOf: () => 24_000, isChanged: () => false };
  const reported = (steps: ReturnType<typeof planSteps>) =>
    steps.map(({ name, share, optional }) => [name, share, optional]);

  it('tests changed sets first, in full or by their share, and the others by a sample', () => {
    const isChanged = (set: MutationSet): boolean => set === sets.b || set === sets.d;
    expect(reported(planSteps(sets, { ...choice, isChanged }))).toEqual([
      ['b', 0.25, false],
      ['d', 1, false],
      ['a', 0.1, true],
      ['c', 0.1, true],
    ]);
  });

  it('tests a share of each set if many mutants changed, and all of them if the sets are named', () => {
    const large = { ...choice, bytesOf: () => 120_000, isChanged: () => true };
    expect(reported(planSteps(sets, large))).toEqual([
      ['a', 3000 / 9750, false],
      ['b', (0.25 * 3000) / 9750, false],
      ['c', 3000 / 9750, false],
      ['d', 3000 / 9750, false],
    ]);
    expect(reported(planSteps(sets, { ...large, bytesOf: () => 4_800_000 }))[0]).toEqual([
      'a',
      3000 / (120_000 * 3.25),
      false,
    ]);
    expect(reported(planSteps(sets, { ...large, wanted: ['a'] }))).toEqual([['a', 1, false]]);
  });

  it('tests all mutants of a small set, and none of a sample more often than of a change', () => {
    expect(reported(planSteps(sets, { ...choice, bytesOf: () => 100 }))).toContainEqual(['a', 1, true]);
    expect(reported(planSteps(sets, { ...choice, bytesOf: () => 0 }))).toContainEqual(['b', 0.25, true]);
  });

  it('begins the samples at another set for each seed', () => {
    const first = (seed: number) => planSteps(sets, { ...choice, seed })[0]?.name;
    expect([0, 1, 2, 3, 4].map(first)).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  it('tests only the named sets, as changed ones', () => {
    expect(reported(planSteps(sets, { ...choice, wanted: ['b', 'c'] }))).toEqual([
      ['b', 0.25, false],
      ['c', 1, false],
    ]);
  });

  it('tests every mutant with --all', () => {
    expect(reported(planSteps(sets, { ...choice, everything: true }))).toEqual(
      Object.keys(sets).map(name => [name, 1, false]),
    );
  });
});
