// The import graph of the sources as the bundler sees it: type-only imports do not count.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly file: string;
  /** Our own files that this one imports. */
  readonly imports: readonly string[];
  /** Packages and `node:` modules that this one imports. */
  readonly packages: readonly string[];
}

export const root = path.resolve(import.meta.dirname, '../../..');
const rooms = ['functions', 'shared', 'infra'];

export async function readImportGraph(): Promise<readonly SourceFile[]> {
  const { inputs } = await graphOf(rooms.flatMap(sourcesBelow));
  return Object.entries(inputs).map(([file, { imports }]) => ({
    file,
    imports: imports.filter(({ external }) => external !== true).map(imported => imported.path),
    packages: imports.filter(({ external }) => external === true).map(imported => imported.path),
  }));
}

/** What the bundler reads for these files, packages left outside. Writes nothing. */
export async function graphOf(entryPoints: readonly string[]): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [...entryPoints],
    absWorkingDir: root,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outdir: 'never-written',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return metafile;
}

function sourcesBelow(room: string): readonly string[] {
  return readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
    .map(file => path.posix.join(room, file.replaceAll('\\', '/')))
    .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'));
}
