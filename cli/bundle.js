// Writes the command line as one program to dist/cli. npm runs this after an install. Without the program, the sources run.
// Plain JavaScript, so that an old Node can run it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFolder, inputsFile, programFile, root, stampOf } from './bundled.js';

/** Sources find files beside them. In the program, these constants of each source replace `import.meta`. */
const ofEachSource = {
  'import.meta.dirname': '__sourceFolder',
  'import.meta.filename': '__sourceFile',
  'import.meta.url': '__sourceUrl',
};

/** Sets the constants on the first line, so that line numbers stay. */
function withConstants(file) {
  const constants = Object.entries({
    __sourceFolder: path.dirname(file),
    __sourceFile: file,
    __sourceUrl: pathToFileURL(file).href,
  });
  const declared = constants.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',');
  return `const ${declared};${readFileSync(file, 'utf8')}`;
}

const sources = {
  name: 'sources',
  setup(build) {
    // Other packages stay where npm installed them.
    build.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
      kind === 'entry-point' || name.startsWith('@capi-serverless/') ? undefined : { path: name, external: true },
    );
    build.onLoad({ filter: /\.ts$/ }, ({ path: file }) => ({ contents: withConstants(file), loader: 'ts' }));
  },
};

/** Writes the program to the folder, and the list of its sources. Rejects if esbuild is not installed. */
export async function bundleCommandLine(folder = bundleFolder) {
  const { build } = await import('esbuild');
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: { [path.parse(programFile).name]: path.join(root, 'cli/main.ts') },
      outdir: fresh,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      define: ofEachSource,
      plugins: [sources],
      metafile: true,
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs).map(file => [file, stampOf(path.join(root, file))]);
    writeFileSync(path.join(fresh, inputsFile), JSON.stringify({ root, inputs: Object.fromEntries(inputs) }));
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
