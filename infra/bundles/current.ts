// The bundles of today's sources, made once and kept: a folder is named for what went into it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Bundle, bundleFunctions, type FunctionEntry, projectRoot } from './bundle.ts';

/** All that decides what a bundle holds. */
const sourceFolders = ['functions', 'shared', 'infra/local/provider', 'infra/bundles'];
const settingFiles = ['package-lock.json', 'tsconfig.json'];

/** No run lasts longer on bundles that the sources have left behind. */
const keptMs = 24 * 3_600_000;

/** Bundles the functions unless that was done for the very same sources before; safe when several processes do so at once. */
export async function currentBundles(
  entries: readonly FunctionEntry[],
): Promise<readonly Pick<Bundle, 'name' | 'file'>[]> {
  const home = path.join(projectRoot, 'dist/local');
  const folder = path.join(home, hashOf(entries));
  const exists = await access(folder).then(
    () => true,
    () => false,
  );
  if (!exists) {
    await mkdir(home, { recursive: true });
    const temporary = await mkdtemp(path.join(home, 'new-'));
    await bundleFunctions(entries, temporary);
    // Another process may have been first: its bundles are the same.
    await rename(temporary, folder).catch(() => rm(temporary, { recursive: true, force: true }));
    await removeOld(home);
  }
  return entries.map(({ name }) => ({ name, file: path.join(folder, name, 'handler.mjs') }));
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

function hashOf(entries: readonly FunctionEntry[]): string {
  const hash = createHash('sha256').update(JSON.stringify(entries));
  for (const folder of sourceFolders) {
    for (const file of readdirSync(path.join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.ts')) {
        hash.update(file).update(readFileSync(path.join(projectRoot, folder, file)));
      }
    }
  }
  for (const file of settingFiles) {
    hash.update(readFileSync(path.join(projectRoot, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
