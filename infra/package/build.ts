// Makes of the package's entries what a stranger's project can import: ES modules for Node 24 beside their declarations.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from '../bundles/bundle.ts';
import { type PackageEntry, packageEntries } from './entries.ts';

export const packageFolder = path.join(projectRoot, 'dist/package');

/** Declarations lie as the sources do, out of reach of importers but for the entries. */
const typesFolder = 'types';

/** Leaves nothing of an earlier build. Throws with what the compiler said. */
export async function buildPackage(): Promise<void> {
  await rm(packageFolder, { recursive: true, force: true });
  await mkdir(packageFolder, { recursive: true });
  await Promise.all([buildModules(), buildDeclarations()]);
  await Promise.all(packageEntries.map(writeDeclarationOf));
}

/** Packages stay outside: an author's bundler puts in what is used. */
async function buildModules(): Promise<void> {
  await build({
    absWorkingDir: projectRoot,
    entryPoints: Object.fromEntries(packageEntries.map(({ name, source }) => [name, source])),
    outdir: packageFolder,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    chunkNames: 'chunks/[hash]',
    legalComments: 'none',
    plugins: [eagerRules],
    logLevel: 'silent',
  });
}

/** The API server in memory requires its engine of rules by the path of a source, which no package holds: here it is bundled. */
const eagerRules: Plugin = {
  name: 'eager-rules',
  setup({ onLoad }) {
    onLoad({ filter: /apiserver\/core\/schema\/rule-engine\.ts$/ }, () => ({
      contents: `import * as engine from ${JSON.stringify(path.join(projectRoot, 'shared/cel/index.ts'))};
        export const ruleEngine = () => engine;`,
      resolveDir: projectRoot,
    }));
  },
};

async function buildDeclarations(): Promise<void> {
  const config = path.join(packageFolder, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: projectRoot,
    outDir: path.join(packageFolder, typesFolder),
  };
  const files = packageEntries.map(({ source }) => path.join(projectRoot, source));
  await writeFile(config, JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, files, include: [] }));
  const tsc = path.join(projectRoot, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', config], { cwd: projectRoot });
  } catch (cause) {
    const told = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : String(cause);
    throw new Error(`The declarations of the package cannot be made: ${told.trim()}`, { cause });
  } finally {
    await rm(config);
  }
}

async function writeDeclarationOf({ name, source }: PackageEntry): Promise<void> {
  const target = `./${typesFolder}/${source.replace(/\.ts$/, '.d.ts')}`;
  await writeFile(path.join(packageFolder, `${name}.d.ts`), `export * from '${target.replace(/\.d\.ts$/, '.js')}';\n`);
}
