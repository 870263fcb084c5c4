// Checks that no statement drops the report of a call that reports problems instead of throwing.
import { describe, expect, it } from 'vitest';
import { readSources } from './sources.ts';

/** They return problems, refusals or outcomes. */
const reporting = ['applyManifests', 'checkCrds', 'installCrds'];

const dropped = new RegExp(`^\\s*(?:(?:await|void) )?(?:\\w+\\.)*(?:${reporting.join('|')})\\(`, 'gm');

const droppedIn = (source: string): readonly string[] => [...source.matchAll(dropped)].map(([call]) => call.trim());

describe('a report of problems', () => {
  it.each([
    { source: '  await installCrds(kubernetes, crds, options);', found: ['await installCrds('] },
    { source: 'void local.applyManifests(kubernetes, []);', found: ['void local.applyManifests('] },
    { source: '  const report = await installCrds(kubernetes, crds, options);', found: [] },
    { source: '  return installCrds(kubernetes, crds, options);', found: [] },
    { source: '  expect(await checkCrds(kubernetes, crds)).toEqual([]);', found: [] },
  ])('is found if it is dropped: $source', ({ source, found }) => {
    expect(droppedIn(source)).toEqual(found);
  });

  it('is dropped by no statement', () => {
    const all = readSources().filter(({ file }) => file !== 'test/unit/architecture/reports.test.ts');
    expect(all.length).toBeGreaterThan(1000);
    expect(all.flatMap(({ file, source }) => droppedIn(source).map(call => `${file}: ${call}`))).toEqual([]);
  });
});
