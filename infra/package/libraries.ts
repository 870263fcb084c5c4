// Builds what others install of the libraries in packages/: a folder for each, with JavaScript, declarations, and a
// manifest that names them. In this repository, the libraries are TypeScript without a build.
import { globSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../bundles/bundle.ts';
import { compile } from './compile.ts';

export const librariesFolder = path.join(projectRoot, 'dist/libraries');

const sourcesFolder = path.join(projectRoot, 'packages');

interface LibraryManifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

/** Removes earlier builds. Returns the folders of the libraries. Throws an error with the output of the compiler. */
export async function buildLibraries(): Promise<readonly string[]> {
  await rm(librariesFolder, { recursive: true, force: true });
  await compileLibraries();
  await renameImports();
  const names = globSync('*/', { cwd: sourcesFolder });
  return Promise.all(names.map(completeLibrary));
}

/** The compiler replaces `.ts` in relative imports. Other libraries are imported by name. */
async function compileLibraries(): Promise<void> {
  await mkdir(path.dirname(librariesFolder), { recursive: true });
  await compile({
    config: path.join(path.dirname(librariesFolder), 'tsconfig.libraries.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      stripInternal: true,
      rootDir: sourcesFolder,
      outDir: librariesFolder,
    },
    files: globSync('**/*.ts', { cwd: sourcesFolder, exclude: ['**/node_modules'] }).map(file =>
      path.join(sourcesFolder, file),
    ),
  });
}

/** The compiler keeps `.ts` in the imports of declarations. */
async function renameImports(): Promise<void> {
  const files = globSync('**/*.d.ts', { cwd: librariesFolder });
  await Promise.all(
    files.map(async name => {
      const file = path.join(librariesFolder, name);
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1'));
    }),
  );
}

async function completeLibrary(name: string): Promise<string> {
  const [from, folder] = [path.join(sourcesFolder, name), path.join(librariesFolder, name)];
  const manifest: LibraryManifest = JSON.parse(await readFile(path.join(from, 'package.json'), 'utf8')); // true: npm's format
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([entry, source]) => [
      entry,
      { types: source.replace(/\.ts$/, '.d.ts'), default: source.replace(/\.ts$/, '.js') },
    ]),
  );
  const files = ['**/*.js', '**/*.d.ts', 'CHANGELOG.md', 'LICENSE'];
  const built = { ...manifest, engines: { node: '>=20' }, exports, files };
  await Promise.all([
    writeFile(path.join(folder, 'package.json'), `${JSON.stringify(built, undefined, 2)}\n`),
    cp(path.join(from, 'README.md'), path.join(folder, 'README.md')),
    cp(path.join(from, 'CHANGELOG.md'), path.join(folder, 'CHANGELOG.md')),
    cp(path.join(projectRoot, 'LICENSE'), path.join(folder, 'LICENSE')),
  ]);
  return folder;
}

if (import.meta.main) {
  const folders = await buildLibraries();
  process.stdout.write(folders.map(folder => `${path.relative(projectRoot, folder)}\n`).join(''));
}
