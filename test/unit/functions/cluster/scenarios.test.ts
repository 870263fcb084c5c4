// Each scenario of the Cluster's behaviour and each example of the condition algebra has a test.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const unit = path.resolve(import.meta.dirname, '../..');

interface Source {
  readonly file: string;
  readonly text: string;
}

const clusterTests = readTests('functions/cluster');
const conditionTests = readTests('packages/cluster-api/conditions');

/** A test of a scenario, up to its closing line. */
const scenarioTest = /\n( *)(?:it|\]\))\(\s*'[^\n]*?\(scenario (\d+)\)'.*?\n\1\}\);/gs;
const rowOfScenario = /reason:\s+'[^\n]*?\(scenario (\d+)\)'/g;

/** Scenarios of watches. They have no result, conditions or writes. */
const events = new Set([58, 59, 65]);

describe('the scenarios', () => {
  it('each have a test with their number', () => {
    const numbers = clusterTests.flatMap(({ text }) => [
      ...[...text.matchAll(scenarioTest)].map(([, , number]) => Number(number)),
      ...[...text.matchAll(rowOfScenario)].map(([, number]) => Number(number)),
    ]);
    const missing = Array.from({ length: 65 }, (_, index) => index + 1).filter(number => !numbers.includes(number));
    expect(missing).toEqual([]);
  });

  it.each([
    { asserted: 'the result', pattern: /result/ },
    {
      asserted: 'conditions with reason and message, or that there are none',
      pattern: /condition(Of)?\(|conditions/,
    },
    { asserted: 'the list of writes', pattern: /writes/i },
  ])('each assert $asserted', ({ pattern }) => {
    const silent = clusterTests.flatMap(({ file, text }) =>
      [...text.matchAll(scenarioTest)]
        .filter(
          ([test, , number]) => !events.has(Number(number)) && !assertionsOf(test).some(line => pattern.test(line)),
        )
        .map(([, , number]) => `${file}: ${number}`),
    );
    expect(silent).toEqual([]);
  });
});

describe('the examples of the condition algebra', () => {
  const names = [...numbered('A', 9), ...numbered('S', 5)];

  it.each(names)('include %s', name => {
    const pattern = new RegExp(`\\(${name}\\)'`);
    expect(conditionTests.some(({ text }) => pattern.test(text))).toBe(true);
  });
});

/** Returns the text after each expect( in the test. */
function assertionsOf(test: string): readonly string[] {
  return test.split('expect(').slice(1);
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}

function readTests(folder: string): readonly Source[] {
  return readdirSync(path.join(unit, folder))
    .filter(file => file.endsWith('.test.ts') && file !== path.basename(import.meta.filename))
    .map(file => ({ file, text: readFileSync(path.join(unit, folder, file), 'utf8') }));
}
