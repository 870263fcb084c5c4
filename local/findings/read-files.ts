// Reads the manifests that a user names: files, or folders of files.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { toError } from '@capi-serverless/reconciler';
import { UsageError } from '../usage-error.ts';
import type { File } from './subjects.ts';

const manifestFile = /\.(?:ya?ml|json)$/;

/** Returns the file itself, or every manifest of the folder in the order of their names. Throws UsageError. */
export async function readFiles(name: string): Promise<readonly File[]> {
  try {
    if (!(await stat(name)).isDirectory()) {
      return [await readOne(name)];
    }
    const entries = await readdir(name);
    const manifests = entries.filter(entry => manifestFile.test(entry)).sort();
    return await Promise.all(manifests.map(entry => readOne(path.join(name, entry))));
  } catch (thrown) {
    throw new UsageError(`${name} cannot be read: ${toError(thrown).message}`, { cause: thrown });
  }
}

async function readOne(name: string): Promise<File> {
  return { name, text: await readFile(name, 'utf8') };
}
