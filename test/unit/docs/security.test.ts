import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

describe('the threat model', () => {
  it('names only existing tests and files', () => {
    const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, file]) => file ?? '');
    expect(named.length).toBeGreaterThan(50);
    // Build output below dist may be absent.
    const kept = named.filter(file => !file.startsWith('dist/'));
    expect(kept.filter(file => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('links only to existing pages and sections', () => {
    const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '');
    const broken = targets.filter(target => {
      const [page = '', section] = target.split('#');
      const file = path.join(root, 'docs', page === '' ? 'security.md' : page);
      return !existsSync(file) || (section !== undefined && !sectionsOf(file).has(section));
    });
    expect(targets.length).toBeGreaterThan(5);
    expect(broken).toEqual([]);
  });
});

function sectionsOf(file: string): ReadonlySet<string> {
  const titles = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) => title ?? '');
  return new Set(
    titles.map(title =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}
