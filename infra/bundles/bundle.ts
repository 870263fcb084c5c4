// Bundles each function the way it is deployed; the local run, the tests and the CDK app all use these very files.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Metafile } from 'esbuild';

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
  readonly metafile: Metafile;
}

/** CommonJS dependencies inside an ES module bundle still call require for Node's own modules. */
const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** Bundles one function into `<outDir>/<name>/`: minified ES modules for Node 24, lazy imports as chunks, source maps kept apart. */
export async function bundleFunction(entry: FunctionEntry, outDir: string): Promise<Bundle> {
  const folder = path.join(outDir, entry.name);
  await rm(folder, { recursive: true, force: true });
  const result = await build({
    entryPoints: { handler: path.join(projectRoot, entry.entry) },
    absWorkingDir: projectRoot,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    chunkNames: 'chunk-[hash]',
    sourcemap: 'external',
    legalComments: 'none',
    banner: { js: requireBanner },
    metafile: true,
    logLevel: 'silent',
  });
  await moveMaps(folder, path.join(outDir, 'maps', entry.name), result.metafile);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}\n');
  const file = path.join(folder, 'handler.mjs');
  return { name: entry.name, file, startBytes: startBytesOf(result.metafile, file), metafile: result.metafile };
}

export function bundleFunctions(entries: readonly FunctionEntry[], outDir: string): Promise<readonly Bundle[]> {
  return Promise.all(entries.map(entry => bundleFunction(entry, outDir)));
}

async function moveMaps(folder: string, target: string, metafile: Metafile): Promise<void> {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const maps = Object.keys(metafile.outputs).filter(file => file.endsWith('.map'));
  await Promise.all(maps.map(map => rename(path.join(projectRoot, map), path.join(target, path.basename(map)))));
  await mkdir(folder, { recursive: true });
}

function startBytesOf(metafile: Metafile, file: string): number {
  const loaded = new Set<string>();
  const load = (output: string): void => {
    const found = metafile.outputs[output];
    if (found === undefined || loaded.has(output)) {
      return;
    }
    loaded.add(output);
    for (const { path: imported, kind } of found.imports) {
      if (kind === 'import-statement') {
        load(imported);
      }
    }
  };
  load(path.relative(projectRoot, file));
  return [...loaded].reduce((bytes, output) => bytes + (metafile.outputs[output]?.bytes ?? 0), 0);
}
