// Checks the length of files and functions in all sources, including tests.
import { describe, expect, it } from 'vitest';
import { findLongFunctions } from './function-lengths.ts';
import { readSources } from './sources.ts';

const mostLines = { file: 400, function: 60 };

const files = readSources();

const linesOf = (source: string): number => source.trimEnd().split('\n').length;

/** Schemas contain all fields of an API. Generated files are not read by people. */
function mayBeLong(file: string, source: string): boolean {
  return /(^|[/-])schema\.ts$/.test(file) || /^\/\/ Generated\b/.test(source);
}

/** Returns a function with this number of lines. */
const ofLines = (lines: number, head = 'function f()'): string => `${head} {\n${'f();\n'.repeat(lines - 2)}}`;

describe('a function', () => {
  it.each([
    { source: ofLines(4), found: [], reason: 'at the limit' },
    { source: ofLines(5), found: [{ line: 1, lines: 5 }], reason: 'above the limit' },
    { source: `\n\n${ofLines(5)}`, found: [{ line: 3, lines: 5 }], reason: 'further down' },
    {
      source: `const x: number = 1 as number;\n${ofLines(5, 'const f = <T,>(_: T) =>')}`,
      found: [{ line: 2, lines: 5 }],
      reason: 'an arrow with types',
    },
    { source: `class A {\n${ofLines(5, '#m()')}\n}`, found: [{ line: 2, lines: 5 }], reason: 'a method' },
    { source: `it('x', ${ofLines(5, 'async () =>')});`, found: [{ line: 1, lines: 5 }], reason: 'a test' },
    {
      source: `it.each([1])('x', ${ofLines(5, '() =>')});`,
      found: [{ line: 1, lines: 5 }],
      reason: 'a test of a table',
    },
    { source: `describe('x', () => {\nit('y', ${ofLines(4, '() =>')});\n});`, found: [], reason: 'a group of tests' },
    {
      source: `function suite() {\nitIf(true)('y', ${ofLines(4, '() =>')});\n}`,
      found: [],
      reason: 'a suite of tests',
    },
    {
      source: `describe('x', () => {\nit('y', ${ofLines(5, '() =>')});\n});`,
      found: [{ line: 2, lines: 5 }],
      reason: 'a test in a group',
    },
    {
      source: ofLines(5).replace('f();', 'items.map(x => x);'),
      found: [{ line: 1, lines: 5 }],
      reason: 'with a call that declares no test',
    },
  ])('of more than 4 lines is found: $reason', ({ source, found }) => {
    expect(findLongFunctions(source, 4)).toEqual(found);
  });
});

describe('the source tree', () => {
  it('is found', () => {
    expect(files.length).toBeGreaterThan(1_500);
  });

  it(`has no file of more than ${mostLines.file} lines but schemas and generated files`, () => {
    const long = files
      .filter(({ file, source }) => linesOf(source) > mostLines.file && !mayBeLong(file, source))
      .map(({ file, source }) => `${file} has ${linesOf(source)} lines`);
    expect(long).toEqual([]);
  });

  it(`has no function of more than ${mostLines.function} lines`, () => {
    const long = files.flatMap(({ file, source }) =>
      findLongFunctions(source, mostLines.function).map(({ line, lines }) => `${file}:${line} has ${lines} lines`),
    );
    expect(long).toEqual([]);
  });
});
