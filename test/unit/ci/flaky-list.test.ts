import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { flakyProblems, readFlakyList, toFlakyEntry } from '../../steps/flaky-list.ts';

const now = new Date('2026-11-28T12:00:00Z');
const entry = (file: string, since = '2026-11-27') => ({ file, since, message: 'late' });

describe('the list of flaky test files', () => {
  it.each([
    { listed: [], found: [], problems: [], reason: 'no flaky file' },
    { listed: [entry('a'), entry('b')], found: ['c'], problems: [], reason: 'three files' },
    { listed: [entry('a'), entry('b'), entry('c')], found: ['a'], problems: [], reason: 'a listed file again' },
    {
      listed: [entry('a'), entry('b'), entry('c')],
      found: ['d'],
      problems: ['4 test files are flaky, and at most 3 may be'],
      reason: 'a fourth file',
    },
    { listed: [entry('a', '2026-11-15')], found: [], problems: [], reason: 'thirteen days' },
    {
      listed: [entry('a', '2026-11-14')],
      found: [],
      problems: ['a is flaky since 2026-11-14, which is more than 14 days'],
      reason: 'more than two weeks',
    },
  ])('makes the run fail or not: $reason', ({ listed, found, problems }) => {
    expect(flakyProblems({ listed, found, now })).toEqual(problems);
  });

  it('has entries with file, day and message', () => {
    expect(toFlakyEntry('test/a.test.ts', 'late', now)).toEqual({
      file: 'test/a.test.ts',
      since: '2026-11-28',
      message: 'late',
    });
  });

  it('is empty without a file, and refused if an entry has no day', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'capi-flaky-'));
    const file = path.join(folder, 'flaky.json');
    expect(readFlakyList(file)).toEqual([]);
    writeFileSync(file, JSON.stringify([{ file: 'a', since: 'yesterday', message: '' }]));
    expect(() => readFlakyList(file)).toThrow(/since/);
    rmSync(folder, { recursive: true });
  });

  it('of this project is valid', () => {
    expect(readFlakyList(path.resolve(import.meta.dirname, '../../flaky.json')).length).toBeLessThanOrEqual(3);
  });
});
