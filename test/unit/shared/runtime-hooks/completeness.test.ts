// Every scenario of ExtensionConfigs and runtime hooks has a test with its number.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');
const tests = [
  'test/unit/shared/runtime-hooks/**/*.test.ts',
  'test/unit/functions/extensionconfig/**/*.test.ts',
  'test/unit/shared/admission/extension-config.test.ts',
];
/**
 * This scenario is not tested: at most one handler per hook for in-place updates. Only reconcilers of Machines call
 * these hooks.
 */
const ofMachines = 38;
const all = Array.from({ length: 40 }, (_, index) => index + 1).filter(number => number !== ofMachines);

function numbersIn(source: string): readonly number[] {
  const named = source.matchAll(/\(scenarios? (\d+)(?: and (\d+))?\)['"`]/g);
  return [...named].flatMap(([, first, second]) => [Number(first), ...(second === undefined ? [] : [Number(second)])]);
}

it('every scenario has a test', () => {
  const numbers = tests
    .flatMap(pattern => globSync(pattern, { cwd: root }))
    .flatMap(file => numbersIn(readFileSync(path.join(root, file), 'utf8')));
  expect(all.filter(number => !numbers.includes(number))).toEqual([]);
  expect(numbers.filter(number => !all.includes(number))).toEqual([]);
});
