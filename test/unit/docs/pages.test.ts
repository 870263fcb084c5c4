// All documents of this project. Their links refer to existing files and headings, their scripts exist, and the index
// lists all pages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const skipped = new Set(['node_modules', 'dist', 'cdk.out', 'coverage', '.git', '.stryker-tmp']);

function documentsBelow(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return skipped.has(entry.name) ? [] : documentsBelow(name);
    }
    return entry.name.endsWith('.md') ? [name] : [];
  });
}

const documents = documentsBelow('');
const textOf = (document: string): string => readFileSync(path.join(root, document), 'utf8');
/** Returns the text without code, in which brackets have another meaning. */
const proseOf = (document: string): string =>
  textOf(document)
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');

/** Returns the anchors of headings in GitHub's format. */
function anchorsOf(document: string): readonly string[] {
  const headings = textOf(document)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

interface Link {
  readonly file: string;
  readonly anchor: string;
}

function linksOf(document: string): readonly Link[] {
  return [...proseOf(document).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
    ([, target = '', anchor = '']) => ({
      file: target === '' ? document : path.join(path.dirname(document), target),
      anchor,
    }),
  );
}

describe.each(documents)('%s', document => {
  it('links to files and headings that exist', () => {
    const broken = linksOf(document).filter(({ file, anchor }) => {
      const isThere = existsSync(path.join(root, file));
      return !isThere || (anchor !== '' && !anchorsOf(file).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  it('uses plain words', () => {
    const vague = textOf(document).match(/\b(?:whom?ever|(?:no|some|any)body)\b/gi);
    expect(vague ?? []).toEqual([]);
  });
});

describe('the pages', () => {
  const pages = documents.filter(name => /^docs\/[^/]+\.md$/.test(name) && name !== 'docs/README.md');

  it('are all in the index, each once', () => {
    const listed = linksOf('docs/README.md')
      .map(({ file }) => file)
      .filter(file => pages.includes(file));
    expect(listed.toSorted()).toEqual(pages.toSorted());
  });

  it('name only scripts that exist, here or in a new provider', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    const known = [...Object.keys(scripts), 'conformance', 'deploy'];
    const named = documents
      .filter(name => name !== 'CHANGELOG.md')
      .flatMap(name => [...textOf(name).matchAll(/npm run (?:--silent )?([a-z][a-z0-9:-]*)/g)])
      .map(([, script = '']) => script);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(script => !known.includes(script))).toEqual([]);
  });

  it('of decisions have unique numbers', () => {
    const numbers = readdirSync(path.join(root, 'docs/decisions')).map(name => name.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
