// The import graph of the sources, type imports included. `arrows.test.ts` compares it with the import graph of the bundler.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';

export interface SourceFile {
  /** The path relative to the project, with forward slashes. */
  readonly file: string;
  /** The files of this project that the file imports, also through the entry of a package. */
  readonly imports: readonly string[];
  /** Third-party packages and `node:` modules that the file imports. */
  readonly packages: readonly string[];
}

export const root = path.resolve(import.meta.dirname, '../../..');
/** The top-level folders of the product's sources. */
export const modules = ['functions', 'shared', 'packages', 'local', 'cli', 'infra'];

/** Matches `from '…'` of imports and re-exports, bare imports, and dynamic imports. Text in backquotes is ignored. */
const specifiers = /(?:^|[\s;}])(?:from\s*|import\s*\(?\s*)'([^'\n]+)'/g;
const ownScope = '@capi-serverless/';

/** The sources below these top-level folders. By default those of the product. */
export function readImportGraph(folders: readonly string[] = modules): readonly SourceFile[] {
  return folders.flatMap(sourcesBelow).map(file => {
    const targets = [...new Set(specifiersOf(file))].map(specifier => resolveImport(file, specifier));
    const isOwn = (target: string): boolean => folders.some(folder => target.startsWith(`${folder}/`));
    return { file, imports: targets.filter(isOwn), packages: targets.filter(target => !isOwn(target)) };
  });
}

function specifiersOf(file: string): readonly string[] {
  const source = readFileSync(path.join(root, file), 'utf8').replace(/`(?:[^`\\]|\\.)*`/gs, '``');
  return [...source.matchAll(specifiers)].flatMap(([, specifier]) => (specifier === undefined ? [] : [specifier]));
}

function resolveImport(file: string, specifier: string): string {
  if (specifier.startsWith('.')) {
    return path.posix.join(path.posix.dirname(file), specifier);
  }
  return specifier.startsWith(ownScope) ? entryOf(specifier.slice(ownScope.length)) : specifier;
}

/** Returns the file of `name` or `name/entry`, according to the package's manifest. */
function entryOf(specifier: string): string {
  const [name = '', ...rest] = specifier.split('/');
  const manifest = JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8'));
  const entry: unknown = manifest.exports[['.', ...rest].join('/')];
  if (typeof entry !== 'string') {
    throw new Error(`packages/${name} has no entry for ${ownScope}${specifier}`);
  }
  return path.posix.join('packages', name, entry);
}

/** Returns the inputs of the bundler for these files, without third-party packages. Writes nothing. */
export async function graphOf(files: readonly string[]): Promise<Metafile> {
  // All files have one entry. With one entry each, the bundler would process common imports again for each entry.
  const exports = files.map((file, index) => `export * as file${index} from './${file}';`);
  const { metafile } = await build({
    stdin: { contents: exports.join('\n'), resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    plugins: [
      {
        name: 'packages-of-others',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path: name }) =>
            name.startsWith(ownScope) ? undefined : { path: name, external: true },
          );
        },
      },
    ],
    format: 'esm',
    platform: 'node',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return metafile;
}

function sourcesBelow(module: string): readonly string[] {
  return readdirSync(path.join(root, module), { recursive: true, encoding: 'utf8' })
    .map(file => path.posix.join(module, file.replaceAll('\\', '/')))
    .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.includes('/node_modules/'));
}
