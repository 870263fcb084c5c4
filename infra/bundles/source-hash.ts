// The hash of all files that affect the content of a bundle.
import { createHash, type Hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const sourceFolders = ['functions', 'shared', 'packages', 'local/provider', 'infra/bundles'];
const settingFiles = ['package-lock.json', 'tsconfig.json'];

/** Includes the names and contents of the sources below `root`, and the settings of the build. */
export function hashOfSources(root: string): Hash {
  const hash = createHash('sha256');
  for (const folder of sourceFolders) {
    for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.ts')) {
        hash.update(file).update(readFileSync(path.join(root, folder, file)));
      }
    }
  }
  for (const file of settingFiles) {
    hash.update(readFileSync(path.join(root, file)));
  }
  return hash;
}
