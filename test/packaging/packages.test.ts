// The packages of this repository: the declarations in their manifests, their packed files, and the examples in their
// READMEs.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { buildLibraries, librariesFolder } from '../../infra/package/libraries.ts';

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

beforeAll(buildLibraries);

interface Pack {
  readonly tarball: string;
  readonly files: readonly string[];
}

const packs = new Map<string, Promise<Pack>>();

/** Packs the built library, once. */
function packOf(name: string): Promise<Pack> {
  const pack = packs.get(name) ?? packLibrary(name);
  packs.set(name, pack);
  return pack;
}

async function packLibrary(name: string): Promise<Pack> {
  const args = [
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    librariesFolder,
    path.join(librariesFolder, name),
  ];
  const { stdout } = await run('npm', args, { cwd: librariesFolder });
  const [packed] = JSON.parse(stdout) as readonly { filename: string; files: readonly { path: string }[] }[]; // true: this is npm's report
  return {
    tarball: path.join(librariesFolder, packed?.filename ?? ''),
    files: packed?.files.map(file => file.path) ?? [],
  };
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

  it('packs JavaScript, declarations, and its documents, and nothing else', async () => {
    const { files } = await packOf(name);
    const modules = sourcesOf(name).map(file => file.replace(/\.ts$/, ''));
    const built = modules.flatMap(module => [`${module}.js`, `${module}.d.ts`]);
    expect(files.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', ...built].toSorted());
    const { exports } = JSON.parse(await readFile(path.join(librariesFolder, name, 'package.json'), 'utf8')); // true: npm's format
    const entries = Object.values<{ types: string; default: string }>(exports).flatMap(entry => [
      entry.types,
      entry.default,
    ]);
    expect(entries.length).toBe(2 * Object.keys(manifest.exports).length);
    expect(entries.filter(entry => !files.includes(path.posix.normalize(entry)))).toEqual([]);
  });

  it('has a changelog with its version', () => {
    const changelog = readFileSync(path.join(folderOf(name), 'CHANGELOG.md'), 'utf8');
    expect(changelog).toContain(`# Changelog of ${manifest.name}\n`);
    expect(changelog).toContain(`\n## ${manifest.version}\n`);
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

/** Node 24 of this project, and the Node of the machine if it is version 20. */
const nodes = [
  { version: 'Node 24', program: node },
  { version: 'Node 20', program: findNode20() },
];

function findNode20(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(folder => !folder.includes('node_modules'));
  return folders
    .map(folder => path.join(folder, 'node'))
    .filter(program => existsSync(program))
    .find(program => execFileSync(program, ['--version'], { encoding: 'utf8' }).startsWith('v20.'));
}

describe('in an empty project that installs the packed libraries, the examples of the READMEs', () => {
  const examples = names.map(exampleOf);
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(path.join(tmpdir(), 'capi-libraries-'));
    const modules = path.join(project, 'node_modules');
    await mkdir(path.join(modules, '@capi-serverless'), { recursive: true });
    await Promise.all(names.map(name => install(name, modules)));
    await Promise.all(examples.map(({ file, source }) => writeFile(path.join(project, file), source)));
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      skipLibCheck: false,
      outDir: 'built',
    };
    await writeFile(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
    const files = examples.map(({ file }) => file);
    await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    compiled = await run(node, [path.join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', project]).then(
      ({ stdout }) => stdout,
      (failed: { readonly stdout: string }) => failed.stdout,
    );
  });

  let compiled: string;

  afterAll(() => rm(project, { recursive: true, force: true }));

  it('compile', () => {
    expect(compiled).toBe('');
  });

  describe.each(nodes)('on $version', ({ program = '' }) => {
    it.skipIf(program === '').each(examples)('print what their comments claim: $file', async ({ file, prints }) => {
      expect(prints).not.toBe('');
      const { stdout } = await run(program, [path.join('built', file.replace(/\.ts$/, '.js'))], {
        cwd: project,
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect(stdout).toBe(prints);
    });
  });
});

/** Other packages are linked, so that nothing is downloaded: only those that the manifest declares, and types of Node. */
async function install(name: string, modules: string): Promise<void> {
  const { tarball } = await packOf(name);
  const folder = path.join(modules, '@capi-serverless', name);
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  const others = [...Object.keys(manifestOf(name).dependencies ?? {}), '@types/node', 'undici-types'];
  for (const other of others.filter(each => !each.startsWith('@capi-serverless/'))) {
    await mkdir(path.dirname(path.join(modules, other)), { recursive: true });
    await symlink(path.join(projectRoot, 'node_modules', other), path.join(modules, other)).catch(
      (error: NodeJS.ErrnoException) => {
        expect(error.code).toBe('EEXIST');
      },
    );
  }
}
