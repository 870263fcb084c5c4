// Every scenario of managed topologies and of their patches has a test whose title ends with its number.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');
const ofPatches = [
  'test/unit/functions/topology/plan/patches/*.test.ts',
  'test/unit/functions/topology/observe/{class-patches,external-patches}.test.ts',
];

function numbersIn(source: string): readonly number[] {
  const named = source.matchAll(/\(scenarios? (\d{1,2}(?:(?:, | and )\d{1,2})*)\)['"`]/g);
  return [...named].flatMap(([, numbers = '']) => numbers.split(/, | and /).map(Number));
}

function numbersOf(patterns: readonly string[], except: readonly string[] = []): readonly number[] {
  const left = new Set(except.flatMap(pattern => globSync(pattern, { cwd: root })));
  return patterns
    .flatMap(pattern => globSync(pattern, { cwd: root }))
    .filter(file => !left.has(file))
    .flatMap(file => numbersIn(readFileSync(path.join(root, file), 'utf8')));
}

it.each([
  {
    of: 'managed topologies',
    count: 74,
    numbers: numbersOf(
      [
        'test/unit/functions/{topology,machinedeployment-topology,machineset-topology}/**/*.test.ts',
        'test/unit/shared/{topology,template-cleanup}/**/*.test.ts',
      ],
      ofPatches,
    ),
  },
  { of: 'patches', count: 30, numbers: numbersOf(ofPatches) },
])('every scenario of $of has a test', ({ count, numbers }) => {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  expect(all.filter(number => !numbers.includes(number))).toEqual([]);
});
