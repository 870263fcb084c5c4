import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mostSeeds, plant } from '../../../simulation/planted/bug.ts';
import { bugs } from '../../../simulation/planted/bugs/index.ts';
import { workloadNamed } from '../../../simulation/workloads/found.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

describe.each(bugs)('the planted bug $name', ({ edits, workloads }) => {
  it('matches the sources, and leads to a valid program', () => {
    for (const file of new Set(edits.map(edit => edit.file))) {
      const source = readFileSync(path.join(root, file), 'utf8');
      const planted = edits.filter(edit => edit.file === file).reduce(plant, source);
      expect(planted).not.toBe(source);
      expect(() => stripTypeScriptTypes(planted)).not.toThrow();
    }
  });

  it('is hunted in workloads that exist', () => {
    expect(workloads.map(workloadNamed).length).toBeGreaterThan(0);
  });
});

describe('the table of bugs in docs/simulation.md', () => {
  const document = readFileSync(path.join(root, 'docs/simulation.md'), 'utf8');
  const [, section = ''] = document.split('\n## Planted bugs\n');
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter(line => line.startsWith('| '));
  const rows = lines.slice(1).map(line => line.split('|').map(cell => cell.trim()));

  it('has one row for each bug, which begins with its sentence', () => {
    expect(rows.map(([, about]) => about).toSorted()).toEqual(bugs.map(({ about }) => about).toSorted());
  });

  it.each(rows)('says how many runs found it, and how: %s%s', (_, _about, runs, seenBy) => {
    expect(runs).toMatch(/^[1-9]\d*$/);
    expect(Number(runs)).toBeLessThanOrEqual(mostSeeds);
    expect(seenBy).not.toBe('');
  });
});

describe('planting', () => {
  const edit = { file: 'some.ts', before: 'one', after: '$& two' };

  it('replaces the passage literally', () => {
    expect(plant('one.', edit)).toBe('$& two.');
  });

  it.each([
    { source: 'none', times: 1, reason: 'one occurrence' },
    { source: 'one one', times: 2, reason: 'two occurrences' },
    { source: 'gone', times: 1, reason: 'inside a word' },
  ])('counts the occurrences of the passage: $reason', ({ source, times }) => {
    const attempt = (): string => plant(source, edit);
    if (times === 1) {
      expect(attempt()).toContain('two');
    } else {
      expect(attempt).toThrow(`no longer fits some.ts: the passage to replace stands there ${times} times`);
    }
  });

  it('has a unique name for each bug', () => {
    expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
  });
});
