// The packages of this repository: the declarations in their manifests, their packed files, and the examples in their
// READMEs.
import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';

const run = promisify(execFile);
const node = process.execPath;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly sideEffects: boolean;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const folderOf = (name: string): string => path.join(projectRoot, 'packages', name);
const names = readdirSync(path.join(projectRoot, 'packages'));

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(path.join(folderOf(name), 'package.json'), 'utf8')); // True: npm's format.
}

function sourcesOf(name: string): readonly string[] {
  return globSync('**/*.ts', { cwd: folderOf(name), exclude: ['node_modules/**'] });
}

/** Returns the names of the packages that a file imports, including type imports. */
function importedBy(file: string): readonly string[] {
  const source = readFileSync(file, 'utf8').replace(/`(?:[^`\\]|\\.)*`/gs, '``');
  const specifiers = [
    ...source.matchAll(/(?:^|[\s;}])(?:from\s*|import\s*\(?\s*)'([^'.][^'\n]*)'/g),
    ...source.matchAll(/\brequire\('([^'.][^'\n]*)'\)/g),
  ];
  return specifiers
    .map(([, specifier = '']) => specifier)
    .filter(specifier => !specifier.startsWith('node:'))
    .map(specifier => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
}

describe.each(names)('the package %s', name => {
  const manifest = manifestOf(name);

  it('has the fields that a registry requires in its manifest', () => {
    expect(manifest).toMatchObject({
      name: `@capi-serverless/${name}`,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/^.{20,120}$/),
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: false,
    });
  });

  it('declares exactly the packages that its files import, in exact versions', () => {
    const imported = new Set(sourcesOf(name).flatMap(file => importedBy(path.join(folderOf(name), file))));
    imported.delete(manifest.name);
    const declared = manifest.dependencies ?? {};
    expect(Object.keys(declared).sort()).toEqual([...imported].sort());
    expect(Object.values(declared).filter(version => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('packs its sources, README and manifest, and nothing else', async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '-w', `packages/${name}`];
    const { stdout } = await run('npm', args, { cwd: projectRoot });
    const [packed] = JSON.parse(stdout) as readonly { readonly files: readonly { readonly path: string }[] }[]; // true: this is npm's report
    const files = packed?.files.map(file => file.path) ?? [];
    expect(files.sort()).toEqual(['README.md', 'package.json', ...sourcesOf(name)].sort());
    expect(Object.values(manifest.exports).filter(entry => !files.includes(path.posix.normalize(entry)))).toEqual([]);
  });
});

interface Example {
  readonly file: string;
  readonly source: string;
  /** Returns the output that the comments `// → …` contain. */
  readonly prints: string;
}

function exampleOf(name: string): Example {
  const readme = readFileSync(path.join(folderOf(name), 'README.md'), 'utf8');
  const source = /^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? expect.unreachable(`${name} has no example`);
  const lines = [...source.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);
  return { file: `${name}.ts`, source, prints: lines.map(line => `${line}\n`).join('') };
}

describe('the examples of the READMEs', () => {
  const examples = names.map(exampleOf);
  let folder: string;

  beforeAll(async () => {
    // The folder is in the project, so that the names of the packages are resolved.
    const dist = path.join(projectRoot, 'dist');
    await mkdir(dist, { recursive: true });
    folder = await mkdtemp(path.join(dist, 'readmes-'));
    await Promise.all(examples.map(({ file, source }) => writeFile(path.join(folder, file), source)));
    const files = examples.map(({ file }) => file);
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../tsconfig.json', files, include: [] }),
    );
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('compile', async () => {
    const tsc = path.join(projectRoot, 'node_modules/typescript/bin/tsc');
    const output = await run(node, [tsc, '-p', folder], { cwd: projectRoot }).then(
      ({ stdout }) => stdout,
      (failed: { readonly stdout: string }) => failed.stdout,
    );
    expect(output).toBe('');
  });

  it.each(examples)('print what their comments claim: $file', async ({ file, prints }) => {
    expect(prints).not.toBe('');
    const { stdout } = await run(node, [path.join(folder, file)], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(stdout).toBe(prints);
  });
});
