// Names of files. A reader of an import must know from the file name what the file exports.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSources } from './sources.ts';

/** Files that have the same role in each folder. The folder says which part of the project the file belongs to. */
const roles = [
  ...['command', 'crd', 'declaration', 'explain', 'gate', 'handler', 'index', 'main', 'observe', 'options'],
  ...['own-metadata', 'plan', 'port', 'reader', 'reconciler', 'report', 'seen', 'settings', 'suite', 'watches'],
];

const mostFiles = 3;

/** Returns the names that too many files have, each with its files. Tests have the names of their sources. */
function findRepeatedNames(files: readonly string[]): readonly string[] {
  const candidates = files.filter(file => !file.endsWith('.test.ts') && !roles.includes(path.basename(file, '.ts')));
  return [...Map.groupBy(candidates, file => path.basename(file))]
    .filter(([, found]) => found.length > mostFiles)
    .map(([name, found]) => `${name}: ${found.join(', ')}`);
}

const inFolders = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index}/${name}`);

describe('a file name that more than three files have', () => {
  it('is found', () => {
    const found = findRepeatedNames(inFolders('names.ts', 4));
    expect(found).toEqual(['names.ts: 0/names.ts, 1/names.ts, 2/names.ts, 3/names.ts']);
  });

  it.each([
    { files: inFolders('names.ts', 3), reason: 'three files' },
    { files: inFolders('names.test.ts', 4), reason: 'tests' },
    { files: inFolders('plan.ts', 4), reason: 'files of one role' },
  ])('is not found among $reason', ({ files }) => {
    expect(findRepeatedNames(files)).toEqual([]);
  });

  it('does not occur: name the file for the thing that it exports', () => {
    expect(findRepeatedNames(readSources().map(({ file }) => file))).toEqual([]);
  });

  it('is allowed only for roles that need it', () => {
    const bases = readSources().map(({ file }) => path.basename(file, '.ts'));
    const unused = roles.filter(role => bases.filter(base => base === role).length <= mostFiles);
    expect(unused).toEqual([]);
  });
});
