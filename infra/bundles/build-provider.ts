// Bundles the functions of a provider from one module that exports its reconcilers.
import path from 'node:path';

export interface BuildProviderOptions {
  /** The module that exports the list `reconcilers`. */
  readonly entry: string;
  /** The names of the reconcilers' functions: `declaration.name` of each. */
  readonly functions: readonly string[];
  /** The output folder. It contains one folder per function afterwards. */
  readonly outDir: string;
}

/** CommonJS dependencies in an ES module bundle still call require for Node's modules. */
const banner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const plumbing = ['resync', 'windowed-forwarder'];

/** Writes `<outDir>/<function>/handler.mjs` for each reconciler and event source. Throws esbuild's errors. */
export async function buildProvider({ entry, functions, outDir }: BuildProviderOptions): Promise<void> {
  // Users of CapiServerless need no bundler.
  const { build } = await import('esbuild');
  const file = path.resolve(entry);
  const serving = [...functions, ...plumbing].map(name => ({ name, contents: toHandler(file, name) }));
  const timer = { name: 'timer', contents: "export { handler } from 'capi-serverless/lambda/timer';" };
  await Promise.all(
    [...serving, timer].map(({ name, contents }) =>
      build({
        stdin: { contents, resolveDir: path.dirname(file), sourcefile: `${name}.ts`, loader: 'ts' },
        outdir: path.join(path.resolve(outDir), name),
        entryNames: 'handler',
        outExtension: { '.js': '.mjs' },
        bundle: true,
        splitting: true,
        chunkNames: 'chunk-[hash]',
        minify: true,
        format: 'esm',
        platform: 'node',
        target: 'node24',
        banner: { js: banner },
        logLevel: 'silent',
      }),
    ),
  );
}

function toHandler(file: string, name: string): string {
  return [
    "import { providerHandler } from 'capi-serverless/lambda';",
    `import { reconcilers } from ${JSON.stringify(file)};`,
    `export const handler = providerHandler(reconcilers, ${JSON.stringify(name)});`,
  ].join('\n');
}
