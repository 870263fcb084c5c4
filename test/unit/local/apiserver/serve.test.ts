// The modules that a start of the embedded server loads, from the import graph of the bundler. `import()` and type-only
// imports are excluded.
import { expect, it } from 'vitest';
import { graphOf } from '../../architecture/import-graph.ts';

async function loadedAtStart(entryPoint: string): Promise<readonly string[]> {
  const { inputs } = await graphOf([entryPoint]);
  const loaded = new Set([entryPoint]);
  for (const file of loaded) {
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kind === 'import-statement') {
        loaded.add(path);
      }
    }
  }
  return [...loaded];
}

it('a start loads no package, and not node:http, whose named imports load all of undici', async () => {
  const loaded = await loadedAtStart('local/apiserver/serve.ts');
  expect(loaded).toContain('packages/apiserver/core/events.ts');
  const foreign = loaded.filter(file => !file.endsWith('.ts') && !/^node:(?!http$)/.test(file));
  expect(foreign).toEqual([]);
});
