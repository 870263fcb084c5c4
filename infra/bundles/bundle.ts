// Bundles each function for deployment. The local run, the tests and the CDK app use the same files.
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

export const projectRoot = path.resolve(import.meta.dirname, '../..');

/** A function's name and its module that exports `handler`, relative to the project. */
export interface FunctionEntry {
  readonly name: string;
  readonly entry: string;
}

export interface Bundle {
  readonly name: string;
  /** The absolute path of the module. Its folder is deployed. */
  readonly file: string;
  /** The number of bytes that are loaded before the handler can run: the entry and its static imports. */
  readonly startBytes: number;
  /** The source modules in these bytes, relative to the project. */
  readonly startInputs: readonly string[];
  readonly metafile: Metafile;
}

/** CommonJS dependencies in an ES module bundle still call require for Node's modules. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** The resolution of imports outside the project. */
export type Resolution = Pick<BuildOptions, 'alias' | 'nodePaths'>;

const common = {
  absWorkingDir: projectRoot,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  conditions: ['module'],
  legalComments: 'none',
  banner: { js: requireBanner },
  logLevel: 'silent',
} satisfies BuildOptions;

/**
 * Bundles a program into the single file `<outDir>/<name>.mjs`. Nothing is loaded on demand, because a long-running
 * process starts only once.
 */
export async function bundleProgram(
  { name, entry }: FunctionEntry,
  outDir: string,
): Promise<Pick<Bundle, 'file' | 'metafile'>> {
  const file = path.join(outDir, `${name}.mjs`);
  const { metafile } = await build({
    ...common,
    entryPoints: [path.join(projectRoot, entry)],
    outfile: file,
    sourcemap: false,
    metafile: true,
  });
  return { file, metafile };
}

/**
 * Bundles a function into `<outDir>/<name>/`: minified ES modules for Node 24, with dynamic imports as chunks. Source
 * maps are in another folder.
 */
export async function bundleFunction(
  entry: FunctionEntry,
  outDir: string,
  resolution: Resolution = {},
): Promise<Bundle> {
  const folder = path.join(outDir, entry.name);
  await rm(folder, { recursive: true, force: true });
  const result = await build({
    ...common,
    ...resolution,
    entryPoints: { handler: path.join(projectRoot, entry.entry) },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: 'chunk-[hash]',
    sourcemap: 'external',
    metafile: true,
  });
  const { metafile } = result;
  await moveMaps(metafile, path.join(outDir, 'maps', entry.name));
  const atStart = startOutputsOf(metafile, entry.entry);
  return {
    name: entry.name,
    file: path.join(folder, 'handler.mjs'),
    startBytes: atStart.reduce((sum, { bytes }) => sum + bytes, 0),
    startInputs: [...new Set(atStart.flatMap(contentOf))],
    metafile,
  };
}

export function bundleFunctions(
  entries: readonly FunctionEntry[],
  outDir: string,
  resolution: Resolution = {},
): Promise<readonly Bundle[]> {
  return Promise.all(entries.map(entry => bundleFunction(entry, outDir, resolution)));
}

/**
 * Moves source maps out of the deployed folder, because they are larger than the code. They can still decode stack
 * traces.
 */
async function moveMaps(metafile: Metafile, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const maps = Object.keys(metafile.outputs).filter(file => file.endsWith('.map'));
  await Promise.all(maps.map(map => rename(path.join(projectRoot, map), path.join(target, path.basename(map)))));
}

type Output = Metafile['outputs'][string];

/** Returns the modules with code in the output. Unused modules are omitted. */
function contentOf({ inputs }: Output): readonly string[] {
  return Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []));
}

/**
 * Returns the entry and all its direct and indirect static imports. Other outputs are chunks that are loaded on demand.
 */
function startOutputsOf({ outputs }: Metafile, entry: string): readonly Output[] {
  const loaded = new Set<Output>();
  const load = (output: Output | undefined): void => {
    if (output === undefined || loaded.has(output)) {
      return;
    }
    loaded.add(output);
    for (const { path: imported, kind } of output.imports) {
      if (kind === 'import-statement') {
        load(outputs[imported]);
      }
    }
  };
  load(Object.values(outputs).find(({ entryPoint }) => entryPoint === entry));
  return [...loaded];
}
