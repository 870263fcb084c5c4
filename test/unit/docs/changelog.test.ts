// The form of the changelog: what operators must do comes first, and entries are short.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const sections = ['Action required', 'Added', 'Changed', 'Fixed'];

interface Release {
  readonly title: string;
  readonly sections: readonly string[];
  readonly entries: readonly string[];
}

function readReleases(text: string): readonly Release[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map(part => ({
      title: part.split('\n', 1)[0] ?? '',
      sections: [...part.matchAll(/^### (.*)$/gm)].map(([, title = '']) => title),
      entries: part
        .split(/^(?=- |#)/m)
        .filter(entry => entry.startsWith('- '))
        .map(entry => entry.trimEnd()),
    }));
}

/** Two lines of a page. */
const longestEntry = 2 * 160;

function findProblems({ title, sections: found, entries }: Release): readonly string[] {
  const inOrder = sections.filter(section => found.includes(section));
  return [
    ...(found.join() === inOrder.join() ? [] : [`${title}: its sections are ${found.join(', ')}`]),
    ...entries.filter(entry => entry.length > longestEntry).map(entry => `${title}: too long: ${entry.slice(0, 60)}`),
    ...entries.filter(entry => /nothing to do/i.test(entry)).map(entry => `${title}: no action: ${entry.slice(0, 60)}`),
  ];
}

describe('the changelog', () => {
  const releases = readReleases(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'));

  it('has a section of the version of the package', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')); // true: a manifest has a version
    expect(releases.map(({ title }) => title.split(' ', 1)[0])).toContain(version);
  });

  it('has short entries in sections, in order', () => {
    expect(releases.flatMap(findProblems)).toEqual([]);
  });

  it.each([
    { text: '## 1\n### Added\n### Action required\n- a\n', found: ['1: its sections are Added, Action required'] },
    { text: '## 1\n### Other\n', found: ['1: its sections are Other'] },
    { text: `## 1\n### Added\n- ${'a'.repeat(320)}\n`, found: [`1: too long: - ${'a'.repeat(58)}`] },
    { text: '## 1\n### Fixed\n- A fix. Nothing to do.\n', found: ['1: no action: - A fix. Nothing to do.'] },
    { text: '## 1\n### Added\n- a\n- b\n', found: [] },
  ])('has $found.length problems in $text', ({ text, found }) => {
    expect(readReleases(text).flatMap(findProblems)).toEqual(found);
  });
});
