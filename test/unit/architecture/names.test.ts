// Names of exported types. A reader of a use must know the type from its name, without the path of its import.
import { describe, expect, it } from 'vitest';
import { readSources, type SourceText } from './sources.ts';

const exportedType = /^export (?:default )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

/** Each name that several sources export, with the sources. */
function findRepeatedTypes(sources: readonly SourceText[]): readonly string[] {
  const exports = sources.flatMap(({ file, source }) =>
    [...source.matchAll(exportedType)].map(([, name = '']) => ({ name, file })),
  );
  return [...Map.groupBy(exports, ({ name }) => name)]
    .map(([name, found]) => ({ name, files: [...new Set(found.map(({ file }) => file))] }))
    .filter(({ files }) => files.length > 1)
    .map(({ name, files }) => `${name}: ${files.join(', ')}`);
}

describe('a type name that two files export', () => {
  const one: SourceText = { file: 'one.ts', source: 'export interface Place {\n}\n' };

  it.each([
    { source: 'export type Place = string;', found: ['Place: one.ts, two.ts'], reason: 'an alias' },
    { source: 'export class Place {}', found: ['Place: one.ts, two.ts'], reason: 'a class' },
    { source: 'export abstract class Place<T> {}', found: ['Place: one.ts, two.ts'], reason: 'an abstract class' },
    { source: 'export interface PlaceOfNode {}', found: [], reason: 'a longer name' },
    { source: 'interface Place {}', found: [], reason: 'no export' },
    { source: "export type { Place } from './one.ts';", found: [], reason: 'the export of another file' },
  ])('is found: $reason', ({ source, found }) => {
    expect(findRepeatedTypes([one, { file: 'two.ts', source }])).toEqual(found);
  });

  it('does not occur: qualify the name with the term of the field', () => {
    expect(findRepeatedTypes(readSources())).toEqual([]);
  });
});
