// The page about dependencies contains the purpose of each package.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/dependencies.md'), 'utf8');

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest; // True: npm's format.
const manifest = readManifest('');
const ownScope = '@capi-serverless/';

describe('the page on dependencies', () => {
  it('has a reason for each runtime package, and for no other', () => {
    const packages = readdirSync(path.join(root, 'packages')).map(name => readManifest(`packages/${name}`));
    const used = [manifest, ...packages].flatMap(({ dependencies = {} }) => Object.keys(dependencies));
    const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, name]) => name);
    const expected = new Set(used.filter(name => !name.startsWith(ownScope)));
    expect(rows.toSorted()).toEqual([...expected].toSorted());
  });

  it('names each development package, or its group', () => {
    const unnamed = Object.keys(manifest.devDependencies ?? {}).filter(name => {
      const [scope = '', last = scope] = name.split('/');
      return ![name, last, scope.replace('@', '')].some(text => page.includes(`\`${text}\``));
    });
    expect(unnamed.filter(name => !name.startsWith('@types/'))).toEqual([]);
  });
});
