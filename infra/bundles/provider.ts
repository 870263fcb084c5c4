// Bundles the functions of a provider's deployment from one module of its author's that exports the reconcilers.
import path from 'node:path';
import { build } from 'esbuild';

export interface BuildProviderOptions {
  /** The module that exports `reconcilers`, a list. */
  readonly entry: string;
  /** The names of the reconcilers' functions: `declaration.name` of each. */
  readonly functions: readonly string[];
  /** Gets one folder per function. */
  readonly outDir: string;
}

/** CommonJS dependencies inside an ES module bundle still call require for Node's own modules. */
const banner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

const plumbing = ['resync', 'windowed-forwarder'];

/** Writes `<outDir>/<function>/handler.mjs` for each reconciler and for the functions that wake them. Throws what esbuild finds. */
export async function buildProvider({ entry, functions, outDir }: BuildProviderOptions): Promise<void> {
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
