// Each scenario of ClusterClasses and their variables has its test, in any folder.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const unit = path.resolve(import.meta.dirname, '../..');
const folders = ['functions/clusterclass', 'shared/variables', 'shared/admission'];

/** The id is in the name of a test, or in the reason of a row. */
const named = /\(scenarios? (\d+)(?: (?:and|to) (\d+))?\)'/g;

function scenariosOf(file: string): readonly number[] {
  return [...readFileSync(file, 'utf8').matchAll(named)].flatMap(([, first, last = first]) => [
    Number(first),
    Number(last),
  ]);
}

function testsBelow(folder: string): readonly string[] {
  const place = path.join(unit, folder);
  return (existsSync(place) ? readdirSync(place, { recursive: true, encoding: 'utf8' }) : [])
    .filter(file => file.endsWith('.test.ts'))
    .map(file => path.join(place, file));
}

it('each scenario has a test with its number', () => {
  const files = [...folders.flatMap(testsBelow), path.join(unit, 'shared/api/usable.test.ts')];
  const numbers = new Set(files.flatMap(scenariosOf));
  const missing = Array.from({ length: 51 }, (_, index) => index + 1).filter(number => !numbers.has(number));
  expect(missing).toEqual([]);
});
