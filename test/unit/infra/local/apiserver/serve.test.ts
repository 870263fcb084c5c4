// What a start of the embedded server loads, as the bundler sees it: `import()` and type-only imports do not count.
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { root } from '../../../architecture/import-graph.ts';

async function loadedAtStart(entryPoint: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entryPoint],
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
  const loaded = new Set([entryPoint]);
  for (const file of loaded) {
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'import-statement') {
        loaded.add(path);
      }
    }
  }
  return [...loaded];
}

it('a start loads no package, and not node:http, whose named imports load all of undici', async () => {
  const loaded = await loadedAtStart('infra/local/apiserver/serve.ts');
  expect(loaded).toContain('infra/local/apiserver/core/events.ts');
  const foreign = loaded.filter(file => !file.endsWith('.ts') && !/^node:(?!http$)/.test(file));
  expect(foreign).toEqual([]);
});
