// Loaded before all other modules: patches sources with the bug in CAPI_PLANTED_BUG.
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { plant } from './bug.ts';
import { bugNamed } from './bugs/index.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { edits } = bugNamed(process.env['CAPI_PLANTED_BUG'] ?? '');

registerHooks({
  load(url, context, nextLoad) {
    const wanted = edits.filter(({ file }) => pathToFileURL(root + file).href === url);
    const loaded = nextLoad(url, context);
    if (wanted.length === 0) {
      return loaded;
    }
    if (loaded.source === undefined || loaded.source === null) {
      throw new Error(`There is no source of ${url} to plant a bug in`);
    }
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: wanted.reduce(plant, source) };
  },
});
