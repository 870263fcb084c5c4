// Writes a new provider to a folder, including the package that it installs.
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toError } from '@capi-serverless/reconciler';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { UsageError } from '../../local/usage-error.ts';
import { toFiles } from './files.ts';
import type { NewProvider } from './options.ts';

/** Builds the package and packs it into the folder. Resolves with the name of the tarball. */
export type Pack = (folder: string) => Promise<string>;

const vendor = 'vendor';

/**
 * Resolves with the names of the files, relative to the folder. Existing files are not changed. Throws UsageError if
 * the folder is not empty.
 */
export async function createProvider(options: NewProvider, pack: Pack): Promise<readonly string[]> {
  const folder = path.resolve(options.folder);
  await refuseFilled(options.folder);
  await mkdir(path.join(folder, vendor), { recursive: true }).catch(refuse(options.folder));
  const tarball = await pack(path.join(folder, vendor));
  const files = toFiles(options, tarball);
  for (const { name, text } of files) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true }).catch(refuse(options.folder));
    await writeFile(file, text, { flag: 'wx' }).catch(refuse(options.folder));
  }
  return [...files.map(({ name }) => name), path.join(vendor, tarball)];
}

async function refuseFilled(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') {
      return [];
    }
    throw new UsageError(`Folder ${folder} cannot be used: ${thrown.message}`, { cause: thrown });
  });
  const [first] = entries.sort();
  if (first !== undefined) {
    throw new UsageError(
      `Folder ${folder} holds ${first} already, and nothing is overwritten; name a new one by --folder`,
    );
  }
}

function refuse(folder: string): (thrown: unknown) => never {
  return thrown => {
    throw new UsageError(`Folder ${folder} cannot be written to: ${toError(thrown).message}`, { cause: thrown });
  };
}

/** Packs the output of `npm run package`. */
export const packPackage: Pack = async folder => {
  const { buildPackage } = await import('../../infra/package/build-package.ts');
  await buildPackage();
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  await promisify(execFile)('npm', args, { cwd: projectRoot });
  const [tarball] = await readdir(folder);
  if (tarball === undefined) {
    throw new Error('npm pack wrote no tarball');
  }
  return tarball;
};
