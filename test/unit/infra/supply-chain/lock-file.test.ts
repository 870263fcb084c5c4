import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkLockFile,
  type LockedPackage,
  parseLockFile,
  parseManifest,
} from '../../../../infra/supply-chain/lock-file.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const digest = `sha512-${'A'.repeat(86)}==`;

interface Given {
  readonly lockfileVersion?: number;
  /** The entry of the only dependency in package.json. */
  readonly wanted?: string;
  readonly entry?: LockedPackage;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

function check({ lockfileVersion = 3, wanted = '1.2.3', entry = {}, allowScripts = {} }: Given = {}) {
  const packages = { '': {}, 'node_modules/a': { version: '1.2.3', integrity: digest, ...entry } };
  return checkLockFile(
    parseLockFile(JSON.stringify({ lockfileVersion, packages })),
    parseManifest(JSON.stringify({ dependencies: { a: wanted }, allowScripts })),
  );
}

describe('a lock file', () => {
  it('is valid when it names one version with its digest', () => {
    expect(check()).toEqual([]);
  });

  it('is valid when a package is bundled in the archive of another', () => {
    expect(check({ entry: { integrity: undefined, inBundle: true } })).toEqual([]);
  });

  it('is valid when it links packages of the project itself, and rejects links to other folders', () => {
    const own = { 'packages/b': {}, 'node_modules/@own/b': { resolved: 'packages/b', link: true } };
    const locked = { 'node_modules/a': { version: '1.2.3', integrity: digest } };
    const problemsOf = (packages: object) =>
      checkLockFile(
        parseLockFile(JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...locked, ...packages } })),
        parseManifest(JSON.stringify({ dependencies: { a: '1.2.3' } })),
      );
    expect(problemsOf(own)).toEqual([]);
    expect(problemsOf({ 'node_modules/c': { resolved: '../c', link: true } })).toContain(
      'package-lock.json: node_modules/c is a link to a folder',
    );
  });

  it.each<{ readonly given: Given; readonly says: string }>([
    { given: { lockfileVersion: 2 }, says: 'package-lock.json: has version 2, not 3' },
    { given: { wanted: '^1.2.3' }, says: 'package.json: a is "^1.2.3", not one exact version' },
    { given: { wanted: 'npm:b@1.2.3' }, says: 'package.json: a is "npm:b@1.2.3", not one exact version' },
    { given: { wanted: 'github:example/a' }, says: 'package.json: a is "github:example/a", not one exact version' },
    { given: { wanted: '1.2.4' }, says: 'package-lock.json: a is 1.2.3, package.json wants 1.2.4; run npm install' },
    { given: { entry: { integrity: undefined } }, says: 'node_modules/a has no sha512 digest' },
    { given: { entry: { integrity: 'sha1-AAAA' } }, says: 'node_modules/a has no sha512 digest' },
    { given: { entry: { link: true } }, says: 'node_modules/a is a link to a folder' },
    {
      given: { entry: { resolved: 'https://npm.example.com/a.tgz' } },
      says: 'node_modules/a names where it was fetched',
    },
    {
      given: { entry: { dependencies: { b: 'git+ssh://host/b' } } },
      says: 'node_modules/a wants b from somewhere else',
    },
    { given: { entry: { dependencies: { b: 'file:../b' } } }, says: 'node_modules/a wants b from somewhere else' },
    { given: { entry: { optionalDependencies: { b: 'http://host/b.tgz' } } }, says: 'wants b from somewhere else' },
    { given: { entry: { peerDependencies: { b: 'example/b#main' } } }, says: 'wants b from somewhere else' },
    {
      given: { entry: { hasInstallScript: true } },
      says: 'a has an install script, which allowScripts of package.json',
    },
    {
      given: { entry: { hasInstallScript: true }, allowScripts: { a: false } },
      says: 'a has an install script, which allowScripts of package.json',
    },
    { given: { allowScripts: { a: true } }, says: 'package.json: allowScripts names a, which has no install script' },
  ])('is rejected: $says', ({ given, says }) => {
    const problems = check(given);
    expect(problems).toEqual([expect.stringContaining(says)]);
    expect(problems.join()).not.toContain('example.com');
  });

  it('may allow install scripts of a package, and ranges within the registry', () => {
    const entry = { hasInstallScript: true, dependencies: { b: '^1 || 2.x', c: 'npm:d@1', e: '>=1 <2' } };
    expect(check({ entry, allowScripts: { a: true } })).toEqual([]);
  });

  it.each(['dependencies', 'devDependencies', 'optionalDependencies'])(
    'rejects a workspace whose %s name a range of versions',
    field => {
      const packages = {
        '': {},
        cli: { [field]: { a: '^1.2.3' } },
        'node_modules/a': { version: '1.2.3', integrity: digest },
      };
      const lock = parseLockFile(JSON.stringify({ lockfileVersion: 3, packages }));
      expect(checkLockFile(lock, parseManifest('{}'))).toEqual([
        'cli/package.json: a is "^1.2.3", not one exact version',
      ]);
    },
  );

  it('of this project is valid', () => {
    expect(checkLockFile(parseLockFile(read('package-lock.json')), parseManifest(read('package.json')))).toEqual([]);
  });
});

describe('the Node of this project', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly [field: string]: unknown }>>; // True: npm's format.
  };
  const programs = Object.entries(packages).filter(
    ([at, { bin }]) => at.startsWith('node_modules/') && typeof bin === 'object' && bin !== null && 'node' in bin,
  );

  it.each(['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64'])('is locked once for %s', platform => {
    const fitting = programs.filter(([, { os, cpu }]) => `${String(os)} ${String(cpu)}` === platform);
    expect(fitting).toHaveLength(1);
  });

  it('has a digest, a version 24 and no install script on each platform', () => {
    const facts = programs.map(([, { version, integrity, optional, hasInstallScript }]) => ({
      major: String(version).split('.')[0],
      hasDigest: /^sha512-[A-Za-z0-9+/]{86}==$/.test(String(integrity)),
      optional,
      hasInstallScript,
    }));
    expect(facts).toEqual(
      Array.from({ length: 4 }, () => ({ major: '24', hasDigest: true, optional: true, hasInstallScript: undefined })),
    );
  });
});
