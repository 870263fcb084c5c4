// The declarations of the package. The compiler emits them. Packages of this project are referenced by relative path,
// because users cannot resolve their names.
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../bundles/bundle.ts';
import { compile } from './compile.ts';

interface PackageJson {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** The source file, relative to the project, for each name by which packages of this project can be imported. */
type OwnEntries = ReadonlyMap<string, string>;

/**
 * Writes the declarations of these sources, and of all modules that they import, to `folder`. Throws with the
 * compiler's output.
 */
export async function buildDeclarations(sources: readonly string[], folder: string): Promise<void> {
  const entries = await readOwnEntries();
  await compileDeclarations(sources, folder, entries);
  const files = globSync('**/*.d.ts', { cwd: folder });
  await Promise.all(files.map(file => nameOwnEntriesByPath(folder, file, entries)));
}

async function readOwnEntries(): Promise<OwnEntries> {
  const folders = globSync('packages/*', { cwd: projectRoot });
  const found = await Promise.all(
    folders.map(async folder => {
      const text = await readFile(path.join(projectRoot, folder, 'package.json'), 'utf8');
      const { name, exports } = JSON.parse(text) as PackageJson; // True: npm's format.
      return Object.entries(exports).flatMap(([entry, source]): readonly (readonly [string, string])[] =>
        source.endsWith('.ts') ? [[path.posix.join(name, entry), path.posix.join(folder, source)]] : [],
      );
    }),
  );
  return new Map(found.flat());
}

/**
 * Packages of this project are resolved to sources, because the compiler emits no declarations for modules in
 * node_modules.
 */
async function compileDeclarations(sources: readonly string[], folder: string, entries: OwnEntries): Promise<void> {
  const config = path.join(path.dirname(folder), 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: projectRoot,
    outDir: folder,
    paths: Object.fromEntries([...entries].map(([name, source]) => [name, [path.join(projectRoot, source)]])),
  };
  await compile({ config, compilerOptions, files: sources.map(source => path.join(projectRoot, source)) });
}

async function nameOwnEntriesByPath(folder: string, file: string, entries: OwnEntries): Promise<void> {
  const text = await readFile(path.join(folder, file), 'utf8');
  const rewritten = text.replaceAll(/(['"])(@capi-serverless\/[^'"]+)\1/g, (_, quote: string, name: string) => {
    const source = entries.get(name);
    if (source === undefined) {
      throw new Error(`The declaration ${file} imports ${name}, which no package exports`);
    }
    const relative = path.posix.relative(path.posix.dirname(file), source);
    return `${quote}${relative.startsWith('.') ? relative : `./${relative}`}${quote}`;
  });
  await writeFile(path.join(folder, file), rewritten);
}
