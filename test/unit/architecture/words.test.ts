// Words that no source, test or page may contain: pronouns for unknown persons, and words without a meaning in the
// field.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root } from './import-graph.ts';

const skipped = new Set(['node_modules', 'dist', 'coverage', 'reports', 'cdk.out', '.git', '.stryker-tmp']);
const files = filesBelow(root)
  .filter(file => file !== import.meta.filename)
  .map(file => ({ name: path.relative(root, file), lines: readFileSync(file, 'utf8').split('\n') }));

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return skipped.has(entry.name) ? [] : filesBelow(name);
    }
    return /\.(ts|md)$/.test(entry.name) ? [name] : [];
  });
}

function linesWith(pattern: RegExp, ending = ''): readonly string[] {
  return files
    .filter(({ name }) => name.endsWith(ending))
    .flatMap(({ name, lines }) =>
      lines.flatMap((line, index) => (pattern.test(line) ? [`${name}:${index + 1}: ${line}`] : [])),
    );
}

it('reads sources and pages', () => {
  expect(files.length).toBeGreaterThan(1_500);
  expect(linesWith(/\bCluster\b/, '.md').length).toBeGreaterThan(100);
});

it.each(['whoever', 'nobody', 'somebody', 'anybody'])('no source and no page contains "%s"', word => {
  const pattern = new RegExp(`\\b${word}\\b`, 'i');
  expect(linesWith(pattern)).toEqual([]);
});

it.each([
  'told',
  'untold',
  'guest',
  'companion',
  'surroundings',
  'circumstances',
  'situation',
  'sighting',
  'unheralded',
  'vigil',
  'parcel',
  'errand',
  'owed',
  'woken',
  'afresh',
  'anew',
  'alike',
  'for ever',
  'looked at',
  'held up',
  'stands in',
  'stranger',
  'vanish(es|ed)?',
])('no source contains "%s"', word => {
  expect(linesWith(new RegExp(`\\b${word}\\b`, 'i'), '.ts')).toEqual([]);
});

it('no source and no page names a folder of recordings of upstream: only variables name them', () => {
  expect(linesWith(/\bshared\/(crds|parity)\b/)).toEqual([]);
});
