// Bundles each function the way it is deployed; the local run, the tests and the CDK app all use these very files.
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

export const projectRoot = path.resolve(import.meta.dirname, '../..');

/** A function's name and the module that exports its `handler`, relative to the project. */
export interface FunctionEntry {
  readonly name: string;
  readonly entry: string;
}

export interface Bundle {
  readonly name: string;
  /** Absolute path of the module to import; its folder is what a deployment packs. */
  readonly file: string;
  /** Bytes read before the handler can run: the entry and all it imports statically. */
  readonly startBytes: number;
  /** The modules that those bytes were made of, relative to the project. */
  readonly startInputs: readonly string[];
  readonly metafile: Metafile;
}

/** CommonJS dependencies inside an ES module bundle still call require for Node's own modules. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** How imports are resolved that the project's own folders do not answer. */
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
 * Bundles a program that runs as a process of its own into the single file `<outDir>/<name>.mjs`. Nothing is lazy there: a
 * resident process starts once.
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

/** Bundles one function into `<outDir>/<name>/`: minified ES modules for Node 24, lazy imports as chunks, source maps kept apart. */
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

/** Out of the folder that a deployment packs: maps are larger than the code, and a stack trace can be read with them later. */
async function moveMaps(metafile: Metafile, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const maps = Object.keys(metafile.outputs).filter(file => file.endsWith('.map'));
  await Promise.all(maps.map(map => rename(path.join(projectRoot, map), path.join(target, path.basename(map)))));
}

type Output = Metafile['outputs'][string];

/** Modules of which nothing was left after unused code went are none of its content. */
function contentOf({ inputs }: Output): readonly string[] {
  return Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []));
}

/** The entry and all that it imports statically, directly or not. Other entry points are lazy chunks. */
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
