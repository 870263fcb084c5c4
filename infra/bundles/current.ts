// A cache of bundles, keyed by a hash of their sources.
import { createHash, type Hash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { type Bundle, bundleFunction, type FunctionEntry, projectRoot } from './bundle.ts';
import { hashOfSources } from './source-hash.ts';

/** Bundles of older sources are kept for this time, because a process may still use them. */
const keptMs = 24 * 3_600_000;

const descriptionFile = 'bundle.json';

/**
 * Bundles each function unless a bundle of the same sources exists. Several processes may call this at the same time.
 * `onBundled` is called after each function that was bundled. Next to the folder of a bundle, `bundle.json` describes
 * its content.
 */
export async function currentBundles(
  entries: readonly FunctionEntry[],
  onBundled: () => void = () => undefined,
): Promise<readonly Pick<Bundle, 'name' | 'file'>[]> {
  const sources = currentFolder(projectRoot);
  let isNew = false;
  const bundles = entries.map(async ({ name, entry }) => {
    const folder = path.join(sources, `${name}-${shortened(createHash('sha256').update(entry))}`);
    if (!(await exists(folder))) {
      isNew = true;
      await bundleInto(folder, { name, entry });
      onBundled();
    }
    return { name, file: path.join(folder, name, 'handler.mjs') };
  });
  const found = await Promise.all(bundles);
  if (isNew) {
    await removeOld(path.dirname(sources));
  }
  return found;
}

/** Returns the description by the bundler of a bundle that `currentBundles` returned. */
export async function metafileOf({ file }: Pick<Bundle, 'file'>): Promise<Metafile> {
  const text = await readFile(path.join(path.dirname(file), '..', descriptionFile), 'utf8');
  const { metafile }: { readonly metafile: Metafile } = JSON.parse(text); // true: it is written with each bundle
  return metafile;
}

/** The folder of the bundles of the sources below `root`, with a folder for each function. */
export function currentFolder(root: string): string {
  return path.join(root, 'dist/local', shortened(hashOfSources(root)));
}

function exists(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}

/** The rename is atomic, so that other processes see a complete folder. */
async function bundleInto(folder: string, entry: FunctionEntry): Promise<void> {
  const parent = path.dirname(folder);
  await mkdir(parent, { recursive: true });
  const temporary = await mkdtemp(path.join(parent, 'new-'));
  const { startBytes, startInputs, metafile } = await bundleFunction(entry, temporary);
  await writeFile(path.join(temporary, descriptionFile), JSON.stringify({ startBytes, startInputs, metafile }));
  // Another process may have finished first, with the same bundle.
  await rename(temporary, folder).catch(() => rm(temporary, { recursive: true, force: true }));
}

async function removeOld(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const folder = path.join(home, name);
    // Another process may remove it at the same time.
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > keptMs) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function shortened(hash: Hash): string {
  return hash.digest('hex').slice(0, 16);
}
