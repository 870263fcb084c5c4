// The files that changed since a base commit, and the mutation sets of these files.
import path from 'node:path';
import type { MutationSet } from './sets.ts';

/** Runs Git. Returns `undefined` if it fails. */
export type Git = (...args: readonly string[]) => string | undefined;

interface Base {
  readonly commit: string;
  /** The source of the commit, for the output. */
  readonly from: string;
}

interface Wish {
  /** The option `--since`. */
  readonly since: string | undefined;
  /** The variable `CAPI_BASE`. */
  readonly configured: string | undefined;
}

/** Returns `undefined` if the base is unknown, for example in a shallow clone. Throws if `since` names no commit. */
export function findBase(git: Git, { since, configured }: Wish): Base | undefined {
  const commitOf = (name: string): string | undefined => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  if (since !== undefined) {
    const commit = commitOf(since);
    if (commit === undefined) {
      throw new RangeError(`--since ${since}: there is no such commit`);
    }
    return { commit, from: '--since' };
  }
  if (configured !== undefined && configured !== '') {
    const commit = commitOf(configured);
    return commit === undefined ? undefined : { commit, from: 'CAPI_BASE' };
  }
  const fork = git('merge-base', 'HEAD', 'main');
  if (fork !== undefined && fork !== commitOf('HEAD')) {
    return { commit: fork, from: 'merge base with main' };
  }
  const before = commitOf('HEAD~1');
  return before === undefined ? undefined : { commit: before, from: 'HEAD~1' };
}

/** Returns committed, uncommitted and untracked changes, including deleted files. */
export function changedFiles(git: Git, { commit }: Base): readonly string[] {
  const lists = [git('diff', '--name-only', commit), git('ls-files', '--others', '--exclude-standard')];
  return lists.flatMap(list => list?.split('\n') ?? []).filter(Boolean);
}

/** A change of these files is a change of every set. */
const runner = 'test/mutation/{runner,collect,sample}.ts';

export function hasChanged({ source, tests, definition }: MutationSet, files: readonly string[]): boolean {
  const own = [...source, tests, runner, ...(definition === undefined ? [] : [definition])];
  return files.some(file => own.some(glob => path.matchesGlob(file, glob)));
}
