// One way to leave out a field without a value: `withoutUndefined`. A conditional spread repeats the name of the field.
import { describe, expect, it } from 'vitest';
import { readSources, type SourceText } from './sources.ts';

const conditionalSpread =
  /\.\.\.\((?<value>[\w.#]+) === undefined \? \{\} : \{ (?:(?:\w+|\[\w+\]|'[^']+'): )?\k<value> \}\)/g;

function findSpreads(sources: readonly SourceText[]): readonly string[] {
  return sources.flatMap(({ file, source }) =>
    [...source.matchAll(conditionalSpread)].map(([text]) => `${file}: ${text}`),
  );
}

describe('a conditional spread of one field', () => {
  it.each([
    {
      source: '{ ...(name === undefined ? {} : { name }) }',
      found: 1,
      reason: 'the variable has the name of the field',
    },
    { source: '{ ...(line.id === undefined ? {} : { id: line.id }) }', found: 1, reason: 'a member' },
    { source: "{ ...(name === undefined ? {} : { 'a/b': name }) }", found: 1, reason: 'a quoted field' },
    { source: '{ ...(name === undefined ? {} : { [label]: name }) }', found: 1, reason: 'a computed field' },
    { source: '{ ...(name === undefined ? {} : { ref: { name } }) }', found: 0, reason: 'another value' },
    { source: '{ ...withoutUndefined({ name }) }', found: 0, reason: 'the function' },
  ])('is found: $reason', ({ source, found }) => {
    expect(findSpreads([{ file: 'one.ts', source }])).toHaveLength(found);
  });

  it('does not occur in the product: use withoutUndefined', () => {
    expect(
      findSpreads(readSources().filter(({ file }) => !file.startsWith('test/') && !file.startsWith('bench/'))),
    ).toEqual([]);
  });
});
