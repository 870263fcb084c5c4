import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { declarations } from '../../../functions/declarations.ts';
import { coveredModules } from '../../mutation/pure-modules.ts';
import { type MutationSet, readMutationSets } from '../../mutation/sets.ts';

/** Reviewed exceptions, with the reason. */
const unmutated: Readonly<Record<string, string>> = {
  'shared/template-cleanup/declaration.ts': 'data without logic: generated roles and the comparison of rights check it',
};

const sets = readMutationSets(
  process.cwd(),
  declarations.map(({ name }) => name),
);

function outsideOf(chosen: readonly MutationSet[]): readonly string[] {
  const inside = new Set(chosen.flatMap(({ source }) => globSync([...source])));
  return globSync([...coveredModules], { exclude: ['**/node_modules/**'] }).filter(file => !inside.has(file));
}

describe('the mutation sets', () => {
  it('contain every pure module, but for the reviewed exceptions', () => {
    expect(outsideOf(Object.values(sets))).toEqual(Object.keys(unmutated));
  });

  it('leave pure modules out if one of them is missing', () => {
    const { topology: _, ...others } = sets;
    expect(outsideOf(Object.values(others))).toContain('functions/topology/decide.ts');
  });

  it.each(Object.entries(sets))('%s has sources and tests', (_name, { source, tests, without }) => {
    expect(globSync([...source]).length).toBeGreaterThan(0);
    expect(globSync(tests, { exclude: [...without] }).length).toBeGreaterThan(0);
  });
});
