// Checks that event sources and expansions read only the fields that they need, and that the maps read no others.
import { describe, expect, it } from 'vitest';
import { declarations } from '../../../functions/declarations.ts';

describe('the fields that shared processes read', () => {
  it.each(declarations)('are named by the declaration of $name', ({ watches, references, nodes, primaryParts }) => {
    const unnamed = watches.filter(
      ({ as, parts, matches, matchParts }) =>
        (as === 'object' && parts === undefined) || (matches !== undefined && matchParts === undefined),
    );
    expect(unnamed).toEqual([]);
    expect(primaryParts !== undefined).toBe(references !== undefined || nodes !== undefined);
  });

  it.each(declarations)('are never a whole spec or status: $name', ({ watches, primaryWatch, primaryParts = [] }) => {
    const reads = [...watches, ...(primaryWatch === undefined ? [] : [primaryWatch])];
    const ofEvents = reads.flatMap(({ parts = [], contentParts = [] }) => [...parts, ...contentParts]);
    const paths = [...primaryParts, ...ofEvents, ...watches.flatMap(({ matchParts = [] }) => matchParts)];
    expect(paths.filter(path => !/^(spec|status)\../.test(path))).toEqual([]);
  });
});
