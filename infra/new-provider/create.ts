// Writes a new provider into a folder, and the package that it installs beside it.
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toError } from '../../shared/kernel/errors.ts';
import { projectRoot } from '../bundles/bundle.ts';
import { UsageError } from '../local/options.ts';
import { toFiles } from './files.ts';
import type { NewProviderOptions } from './options.ts';

/** Builds the package and packs it into the folder. Answers with the tarball's name. */
export type Pack = (folder: string) => Promise<string>;

const vendor = 'vendor';

/**
 * Resolves with the names of the files, relative to the folder. Nothing that is there is written to: throws UsageError where
 * the folder holds anything.
 */
export async function createProvider(options: NewProviderOptions, pack: Pack): Promise<readonly string[]> {
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

/** `npm pack` of what `npm run package` built. */
export const packPackage: Pack = async folder => {
  const { buildPackage } = await import('../package/build.ts');
  await buildPackage();
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  await promisify(execFile)('npm', args, { cwd: projectRoot });
  const [tarball] = await readdir(folder);
  if (tarball === undefined) {
    throw new Error('npm pack wrote no tarball');
  }
  return tarball;
};
