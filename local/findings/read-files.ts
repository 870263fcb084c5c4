// Reads the manifests that a user names: files, folders of files, or the standard input.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { toError } from '@capi-serverless/reconciler';
import { UsageError } from '../usage-error.ts';
import type { File } from './subjects.ts';

const manifestFile = /\.(?:ya?ml|json)$/;

/** Files of kustomize name manifests, and hold no object. */
export const kustomizationFile = /(?:^|[/\\])(?:kustomization\.ya?ml|Kustomization)$/;

/** Folders that contain no manifests of the user: those of tools. */
const toolFolder = /(?:^|[/\\])(?:\.[^./\\][^/\\]*|node_modules)[/\\]/;

/**
 * Returns the file itself, the standard input for `-`, or every manifest of the folder and the folders in it, in the
 * order of their paths. Files of kustomize are left out. Throws UsageError.
 */
export async function readFiles(name: string): Promise<readonly File[]> {
  if (name === '-') {
    return [{ name: 'standard input', text: await text(process.stdin) }];
  }
  try {
    if (!(await stat(name)).isDirectory()) {
      return [await readOne(name)];
    }
    const entries = await readdir(name, { recursive: true });
    const isManifest = (entry: string): boolean => manifestFile.test(entry) && !kustomizationFile.test(entry);
    const manifests = entries.filter(entry => isManifest(entry) && !toolFolder.test(entry)).sort();
    return await Promise.all(manifests.map(entry => readOne(path.join(name, entry))));
  } catch (thrown) {
    throw new UsageError(`${name} cannot be read: ${toError(thrown).message}`, { cause: thrown });
  }
}

async function readOne(name: string): Promise<File> {
  return { name, text: await readFile(name, 'utf8') };
}
